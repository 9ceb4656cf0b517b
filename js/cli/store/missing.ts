import type { MissingOfSigner } from 'alvarium-sdk/store'
import { worstOf } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import { signerRows } from '../audit/report.js'
import { type ExitCode, exitOf, type Run } from '../session.js'
import { dim, type SafeText, safeText, yellow } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { type DatabaseOptions, withStore } from './database.js'

interface MissingArguments extends DatabaseOptions {
  readonly signer?: string
  readonly limit: number
  readonly after?: string
  readonly json?: boolean
}

export const run: Run<MissingArguments> = async (_, options, { out, err, interrupted: signal, begin }) => {
  const { signer, limit, after, json = false } = options
  begin()
  const { signers, next } = await withStore(options, { err }, (store) =>
    store.missing({ signer, limit, after, signal }),
  )
  for (const report of signers) {
    if (json) await out.json(report)
    else for (const row of [...signerRows(report), ...restOf(report)]) await out.line(row)
  }
  if (next !== undefined) await err.line(dim(safeText`there are more: --after ${next}`))
  if (signers.length === 0) await err.line(safeText`${yellow('?')} this store has no checkpoints`)
  return codeOf(signers)
}

/** Returns the rows that only stores have. */
function restOf({ prunedOrMissing, isWhole }: MissingOfSigner): SafeText[] {
  const pruned = `${countOf(prunedOrMissing, 'message')} not there: pruned, or missing`
  return [
    ...(prunedOrMissing > 0 ? [safeText`    ${yellow('unknown')}   ${pruned}`] : []),
    ...(isWhole ? [] : [safeText`    ${yellow('unknown')}   there is more than can be looked at here`]),
  ]
}

function codeOf(signers: readonly MissingOfSigner[]): ExitCode {
  return exitOf(worstOf(signers.map(({ verdict }) => VERDICT_WORDS[verdict])))
}
