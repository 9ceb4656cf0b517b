import { percentOf, type Verdict } from 'alvarium-sdk/score'
import { keyText, policyIn, reasonsOf } from '../score/report.js'
import { EXIT, type Run } from '../session.js'
import { bold, dim, type SafeText, safeText } from '../terminal/safe-text.js'
import { count, short } from '../terminal/words.js'
import { type DatabaseOptions, withStore } from './database.js'
import { type PayloadOptions, payloadIn } from './payload.js'
import { type SetOptions, setsIn } from './sealed-sets.js'
import { nothingFound, trustIn, trustRows } from './trust-argument.js'

interface ScoreOptions extends DatabaseOptions, PayloadOptions, SetOptions {
  readonly policy?: string
  readonly min?: number
}

export const run: Run<ScoreOptions> = async ([argument = ''], options, session) => {
  const { out } = session
  const policy = await policyIn(options.policy)
  const payload = await payloadIn(argument, options, session)
  const listed = await setsIn(options, session)
  const trust = await trustIn(options, session)
  const asking = { policy, ...listed, trust }
  const verdict = await withStore(options, session, (store) => store.why(payload, asking))
  await out.show(options.json, verdict, () => [...verdictRows(verdict), ...trustRows(options, verdict.trust)])
  const { score, why } = verdict
  if (score === 0 && why.answers.length === 0)
    return nothingFound('annotation', argument, options, verdict.trust, session)
  if (score === 'unknown') return EXIT.unknown
  return percentOf(score) < (options.min ?? 0) ? EXIT.no : EXIT.yes
}

const MAX_ROWS = 20

function verdictRows(verdict: Verdict): SafeText[] {
  const { score, policy, why } = verdict
  const reasons = reasonsOf(why)
  const more = reasons.length - MAX_ROWS + why.leftOut
  return [
    safeText`${bold(score === 'unknown' ? 'unknown' : `${percentOf(score)} %`)}  ${keyText(verdict)}  ${dim(`policy ${short(policy)}`)}`,
    ...reasons.slice(0, MAX_ROWS).map((row) => safeText`  ${row}`),
    ...(more > 0 ? [dim(`  ${count(more)} more: --json shows all`)] : []),
  ]
}
