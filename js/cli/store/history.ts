import type { Run } from '../session.js'
import { type PageArguments, showPages } from './bundles.js'
import { type PayloadOptions, payloadIn } from './payload.js'

export const run: Run<PageArguments & PayloadOptions> = async ([argument = ''], options, session) => {
  const payload = await payloadIn(argument, options, session)
  return showPages(options, session, (store, page) => store.history(payload, page))
}
