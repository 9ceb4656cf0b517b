import type { Store } from 'alvarium-sdk/store'
import type { Run } from '../session.js'
import { type FilterArguments, filterIn, type PageArguments, showPages } from './bundles.js'

export const run: Run<PageArguments & FilterArguments> = async (_, options, session) => {
  const filter = filterIn(options)
  const note = async (store: Store) => {
    if (filter.received === undefined || filter.received === 'unknown') return
    const { bundles } = await store.by({ ...filter, received: 'unknown' }, { limit: 1 })
    if (bundles.length > 0)
      await session.err.undecided('of some it is not known when they came: --received-unknown lists them')
  }
  return showPages(options, session, (store, page) => store.by(filter, page), note)
}
