import type { Pruned } from 'alvarium-sdk/store'
import { invalid } from '../fault.js'
import { timeIn } from '../input/time.js'
import { EXIT, type Run } from '../session.js'
import { showProgress } from '../terminal/progress.js'
import { green, joinTexts, type SafeText, safeText } from '../terminal/safe-text.js'
import { count, countOf } from '../terminal/words.js'
import { type DatabaseOptions, storeAt } from './database.js'

interface PruneArguments extends DatabaseOptions {
  readonly before: string
}

export const run: Run<PruneArguments> = async (_, options, session) => {
  const before = timeIn('--before', options.before)?.ms as number
  if (before > Date.now()) throw invalid('--before', 'a time that has passed', options.before)
  const { interrupted: signal, out, err } = session
  session.begin()
  await using store = await storeAt(options, session)
  let bundles = 0
  const line = () => safeText`${count(bundles)} bundles pruned`
  const onProgress = (done: Pruned) => {
    bundles = done.bundles
  }
  try {
    const done = await showProgress(session, line, () => store.prune({ before, signal, onProgress }))
    await out.show(options.json, done, () => [prunedRow(done)])
    if (done.bundles > 0) await err.undecided(UNSIGNED_NOTE)
    return EXIT.yes
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted
    throw error
  }
}

function prunedRow({ bundles, messages, quarantined }: Pruned): SafeText {
  const apart = quarantined > 0 ? [`${count(quarantined)} that were quarantined`] : []
  const all = [`${countOf(bundles, 'bundle')} pruned`, countOf(messages, 'message'), ...apart]
  return safeText`${green('✓')} ${joinTexts(all, ', ')}`
}

/** Note printed after a removal, because this command has no signing key for a checkpoint. */
export const UNSIGNED_NOTE =
  'until a checkpoint is signed, the database alone says what was pruned (alvarium store checkpoint)'
