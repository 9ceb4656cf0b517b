import type { MissingOfSigner, MissingPage } from 'alvarium-sdk/store'
import { worstOf } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import { signerRows } from '../audit/report.js'
import { timeIn } from '../input/time.js'
import { EXIT, type ExitCode, exitOf, type Run } from '../session.js'
import { MARKS } from '../terminal/outcome.js'
import { dim, type SafeText, safeText, yellow } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { type DatabaseOptions, withStore } from './database.js'

interface MissingArguments extends DatabaseOptions {
  readonly signer?: string
  readonly limit: number
  readonly after?: string
  readonly since?: string
}

export const run: Run<MissingArguments> = async (_, options, { out, err, interrupted: signal, begin }) => {
  const { signer, limit, after } = options
  const since = timeIn('--since', options.since)?.ms
  begin()
  const { signers, next } = await withStore(options, { err }, (store) =>
    store.missing({ signer, limit, after, since, signal }),
  )
  for (const report of signers) await out.show(options.json, report, () => rowsOfSigner(report))
  if (next !== undefined) await err.line(dim(safeText`there are more: --after ${next}`))
  if (signers.length > 0) return codeOf(signers)
  await err.undecided(
    since === undefined ? 'this store has no checkpoints' : 'no checkpoint has come since then',
  )
  return EXIT.unknown
}

function rowsOfSigner(report: MissingPage['signers'][number]): SafeText[] {
  if (report.verdict === 'complete in part') return [safeText`${MARKS[report.outcome]} ${report.says}`]
  return [...signerRows(report), ...restOf(report)]
}

/**
 * Returns rows that only reports about a store contain: the number of messages that were pruned or are
 * missing, and a note about an incomplete search.
 */
function restOf({ prunedOrMissing, isWhole }: MissingOfSigner): SafeText[] {
  const pruned = `${countOf(prunedOrMissing, 'message')} not there: pruned, or missing`
  return [
    ...(prunedOrMissing > 0 ? [safeText`    ${yellow('unknown')}   ${pruned}`] : []),
    ...(isWhole ? [] : [safeText`    ${yellow('unknown')}   there is more than can be looked at here`]),
  ]
}

function codeOf(signers: MissingPage['signers']): ExitCode {
  return exitOf(worstOf(signers.map(({ verdict }) => VERDICT_WORDS[verdict])))
}
