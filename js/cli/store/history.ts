import type { Run } from '../session.js'
import { type PageArguments, showPage } from './bundles.js'
import { type PayloadOptions, payloadIn } from './payload.js'

export const run: Run<PageArguments & PayloadOptions> = async ([asked = ''], options, session) => {
  const payload = await payloadIn(asked, options, session)
  return showPage(options, session, (store, page) => store.history(payload, page))
}
