import type { Run } from '../session.js'
import { type FilterArguments, filterIn, type PageArguments, showPages } from './bundles.js'

export const run: Run<PageArguments & FilterArguments> = async (_, options, session) => {
  const filter = filterIn(options)
  return showPages(options, session, (store, page) => store.by(filter, page))
}
