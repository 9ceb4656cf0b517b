import { readKey } from 'alvarium-sdk'
import type { AskedCheckpoint } from 'alvarium-sdk/witness'
import { EXIT, exitOf, type Run } from '../session.js'
import { assertFree, writeNew } from '../set/files.js'
import { MARKS } from '../terminal/outcome.js'
import { showWaiting } from '../terminal/progress.js'
import { bold, dim, green, type SafeText, safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { witnessesIn } from '../witness/witnesses-file.js'
import { type DatabaseOptions, storeAt } from './database.js'

interface CheckpointArguments extends DatabaseOptions {
  readonly key: string
  readonly seed?: boolean
  readonly origin: string
  readonly witnesses?: string
  readonly out?: string
}

export const run: Run<CheckpointArguments> = async (_, options, session) => {
  const { origin, out } = options
  assertFree('--out', out)
  const witnessing = await witnessesIn(options.witnesses)
  const signingKey = await readKey(options.key, { seed: options.seed ?? false })
  try {
    await using store = await storeAt(options, session, {
      keyring: [],
      log: { origin, signingKey, ...witnessing },
    })
    const checkpoint = await showWaiting(session, 'signing', () => store.checkpoint())
    const witnessResult =
      witnessing.witnesses && (await showWaiting(session, 'asking the witnesses', () => store.askWitnesses()))
    const { size, note } = { ...checkpoint, ...witnessResult }
    if (out !== undefined) await writeNew('--out', out, [note], session)
    if (options.json) await session.out.json({ ...checkpoint, ...witnessResult, vkey: store.vkey })
    else if (out === undefined) await session.out.write(Buffer.from(note))
    const noteLabel = out === undefined ? 'the note' : out
    await session.err.line(
      safeText`${green('✓')} ${countOf(size, 'entry', 'entries')} signed: keep ${noteLabel} where nobody who may change the database can change it`,
    )
    await session.err.line(safeText`  its public key, for audit --vkey: ${bold(store.vkey ?? '')}`)
    if (!witnessResult) return EXIT.yes
    await session.err.lines(witnessRows(witnessResult))
    return exitOf(witnessResult.witnessed.outcome)
  } finally {
    signingKey.fill(0)
  }
}

/** Returns a row that says whether enough witnesses cosigned, then a row for each witness that did not. */
function witnessRows({ witnessed, answers }: AskedCheckpoint): SafeText[] {
  const others = answers.filter(({ outcome }) => outcome !== 'cosigned')
  return [
    safeText`${MARKS[witnessed.outcome]} ${witnessed.says}`,
    ...others.map(({ says }) => dim(`  ${says}`)),
  ]
}
