import { EXIT, type Run } from '../session.js'
import { safeText, yellow } from '../terminal/safe-text.js'
import { momentIn } from './bundles.js'
import { type DatabaseOptions, withStore } from './database.js'
import { signerRow } from './report.js'

interface SignersOptions extends DatabaseOptions {
  readonly silentSince?: string
  readonly limit: number
  readonly json?: boolean
}

export const run: Run<SignersOptions> = async (_, options, { out, err }) => {
  const since = momentIn('--silent-since', options.silentSince)
  const signers = await withStore(options, { err }, (store) => store.silent({ since, limit: options.limit }))
  for (const signer of signers) {
    if (options.json) await out.json(signer)
    else await out.line(signerRow(signer))
  }
  if (since !== undefined) return signers.length === 0 ? EXIT.yes : EXIT.no
  if (signers.length > 0) return EXIT.yes
  await err.line(safeText`${yellow('?')} this store has no bundles`)
  return EXIT.unknown
}
