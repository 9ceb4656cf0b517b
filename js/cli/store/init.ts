import { EXIT, type Run } from '../session.js'
import { showWaiting } from '../terminal/progress.js'
import { green, safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { type DatabaseOptions, isServer, makeStore } from './database.js'

export const run: Run<DatabaseOptions> = async (_, options, session) => {
  await using store = await showWaiting(session, 'opening the store', () =>
    makeStore(options, { keyring: [] }),
  )
  const { bundles } = await store.stats()
  const where = isServer(options.database) ? 'the database' : options.database
  await session.out.line(safeText`${green('✓')} ${where} has a store, with ${countOf(bundles, 'bundle')}`)
  return EXIT.yes
}
