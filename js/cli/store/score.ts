import { percentOf, type Verdict } from 'alvarium-sdk/score'
import { noteRecords } from '../input/payloads.js'
import { keyText, policyIn, reasonsOf } from '../score/report.js'
import { EXIT, type Run } from '../session.js'
import { bold, dim, type SafeText, safeText, yellow } from '../terminal/safe-text.js'
import { count, short } from '../terminal/words.js'
import { type DatabaseOptions, withStore } from './database.js'
import { type PayloadOptions, payloadIn } from './payload.js'
import { type SetOptions, setsIn } from './sealed-sets.js'
import { codeOfRefused, trustIn, trustRow } from './trust-argument.js'

interface ScoreOptions extends DatabaseOptions, PayloadOptions, SetOptions {
  readonly policy?: string
  readonly min?: number
  readonly json?: boolean
}

export const run: Run<ScoreOptions> = async ([argument = ''], options, session) => {
  const { out, err } = session
  const policy = await policyIn(options.policy)
  const payload = await payloadIn(argument, options, session)
  const listed = await setsIn(options, session)
  const trust = await trustIn(options, session)
  const asking = { policy, ...listed, trust }
  const verdict = await withStore(options, session, (store) => store.why(payload, asking))
  if (options.json) await out.json(verdict)
  else for (const row of verdictRows(verdict)) await out.line(row)
  if (verdict.trust && !options.json) await out.line(trustRow(options.trust ?? '', verdict.trust))
  const { score, why } = verdict
  if (score === 0 && why.answers.length === 0) {
    const code = codeOfRefused(verdict.trust)
    if (Object.keys(verdict.trust?.refused ?? {}).length > 0) return code
    await err.line(safeText`${yellow('?')} no annotation of this store is about this payload`)
    if (!options.payloadKey) await noteRecords(argument, session)
    return EXIT.unknown
  }
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
