import { type StoredOptions, trustedBy } from '../keys/trusted.js'
import type { Run } from '../session.js'
import { showWaiting } from '../terminal/progress.js'
import { type DatabaseOptions, storeAt } from './database.js'
import { codeOf, ingestedRow } from './report.js'

export const run: Run<DatabaseOptions & StoredOptions> = async (_, options, session) => {
  const { keyring } = await trustedBy(options, session)
  session.begin()
  await using store = await storeAt(options, session, { keyring, classic: true })
  const done = await showWaiting(session, 'retrying quarantined messages', () => store.retryQuarantine())
  await session.out.show(options.json, done, () => [ingestedRow(done)])
  return codeOf(done)
}
