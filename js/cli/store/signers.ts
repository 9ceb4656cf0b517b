import { timeIn } from '../input/time.js'
import { EXIT, type Run } from '../session.js'
import { type DatabaseOptions, withStore } from './database.js'
import { signerRow } from './report.js'

interface SignersOptions extends DatabaseOptions {
  readonly silentSince?: string
  readonly limit: number
}

export const run: Run<SignersOptions> = async (_, options, { out, err }) => {
  const since = timeIn('--silent-since', options.silentSince)?.ms
  const signers = await withStore(options, { err }, (store) => store.silent({ since, limit: options.limit }))
  for (const signer of signers) await out.show(options.json, signer, () => [signerRow(signer)])
  if (since !== undefined) return signers.length === 0 ? EXIT.yes : EXIT.no
  if (signers.length > 0) return EXIT.yes
  await err.undecided('this store has no bundles')
  return EXIT.unknown
}
