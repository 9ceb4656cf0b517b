import { readKey } from 'alvarium-sdk'
import { EXIT, type Run } from '../session.js'
import { assertFree, writeNew } from '../set/files.js'
import { showWaiting } from '../terminal/progress.js'
import { bold, green, shown } from '../terminal/shown.js'
import { counted } from '../terminal/words.js'
import { type DatabaseOptions, storeAt } from './database.js'

/** What `alvarium store checkpoint` can be asked for. */
interface CheckpointArguments extends DatabaseOptions {
  readonly key: string
  readonly seed?: boolean
  readonly origin: string
  readonly out?: string
  readonly json?: boolean
}

export const run: Run<CheckpointArguments> = async (_, options, session) => {
  const { origin, out } = options
  assertFree('--out', out)
  const signingKey = await readKey(options.key, { seed: options.seed ?? false })
  try {
    await using store = await storeAt(options, session, { keyring: [], log: { origin, signingKey } })
    const checkpoint = await showWaiting(session, 'signing', () => store.checkpoint())
    const { size, note } = checkpoint
    if (out !== undefined) await writeNew('--out', out, [new TextEncoder().encode(note)], session)
    if (options.json) await session.out.json({ ...checkpoint, vkey: store.vkey })
    else if (out === undefined) await session.out.write(Buffer.from(note))
    const kept = out === undefined ? 'the note' : out
    await session.err.line(
      shown`${green('✓')} ${counted(size, 'entry', 'entries')} signed: keep ${kept} where nobody who may change the database can change it`,
    )
    await session.err.line(shown`  its public key, for audit --vkey: ${bold(store.vkey ?? '')}`)
    return EXIT.yes
  } finally {
    signingKey.fill(0)
  }
}
