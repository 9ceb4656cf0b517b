import { type JudgingPolicy, percentOf, readPolicy, type Verdict } from 'alvarium-sdk/judge'
import { inFile } from '../fault.js'
import { noteRecords } from '../input/payloads.js'
import { textIn } from '../input/text.js'
import { keyText } from '../score/report.js'
import { EXIT, type Run } from '../session.js'
import { answer } from '../terminal/answers.js'
import { bold, dim, type Shown, shown, yellow } from '../terminal/shown.js'
import { count, short } from '../terminal/words.js'
import { type DatabaseOptions, withStore } from './database.js'
import { type ListedOptions, listedIn } from './listed.js'
import { type PayloadOptions, payloadIn } from './payload.js'
import { codeOfRefused, trustIn, trustRow } from './trusted.js'

interface ScoreOptions extends DatabaseOptions, PayloadOptions, ListedOptions {
  readonly policy?: string
  readonly min?: number
  readonly json?: boolean
}

export const run: Run<ScoreOptions> = async ([asked = ''], options, session) => {
  const { out, err } = session
  const policy = await policyIn(options.policy)
  const payload = await payloadIn(asked, options, session)
  const listed = await listedIn(options, session)
  const trust = await trustIn(options, session)
  const asking = { policy, ...listed, trust }
  const verdict = await withStore(options, session, (store) => store.why(payload, asking))
  if (options.json) await out.json(verdict)
  else for (const row of rowsOf(verdict)) await out.line(row)
  if (verdict.trust && !options.json) await out.line(trustRow(options.trust ?? '', verdict.trust))
  const { score, why } = verdict
  if (score === 0 && why.voices.length === 0) {
    const code = codeOfRefused(verdict.trust)
    if (Object.keys(verdict.trust?.refused ?? {}).length > 0) return code
    await err.line(shown`${yellow('?')} no annotation of this store is about this payload`)
    if (!options.payloadKey) await noteRecords(asked, session)
    return EXIT.unknown
  }
  if (score === 'unknown') return EXIT.unknown
  return percentOf(score) < (options.min ?? 0) ? EXIT.no : EXIT.yes
}

/** @throws AlvariumError `CONFIG_INVALID` */
async function policyIn(path: string | undefined): Promise<JudgingPolicy | undefined> {
  if (path === undefined) return undefined
  const text = await textIn('--policy', path)
  try {
    return readPolicy(text)
  } catch (error) {
    throw inFile('--policy', path, error)
  }
}

/** Number of reasons shown: more than a person reads. */
const MOST_ROWS = 20

function rowsOf(verdict: Verdict): Shown[] {
  const { score, policy, why } = verdict
  const reasons = [
    ...why.vetoes.map((kind) => shown`${kind} is required: without a yes, or with a no, the score is 0`),
    ...why.voices.map((voice) => voiceRow(voice)),
    ...why.ancestors.map((one) => shown`made from ${keyText(one)}  ${percentOf(one.score)} %`),
    ...why.gaps.map((one) => shown`${yellow('?')} what ${keyText(one)} was made from is not known`),
  ]
  const more = reasons.length - MOST_ROWS + why.leftOut
  return [
    shown`${bold(score === 'unknown' ? 'unknown' : `${percentOf(score)} %`)}  ${keyText(verdict)}  ${dim(`policy ${short(policy)}`)}`,
    ...reasons.slice(0, MOST_ROWS).map((row) => shown`  ${row}`),
    ...(more > 0 ? [dim(`  ${count(more)} more: --json shows all`)] : []),
  ]
}

function voiceRow({ signer, kind, host, isSatisfied }: Verdict['why']['voices'][number]): Shown {
  return shown`${answer({ kind, isSatisfied })}  by ${short(signer)} on ${host}`
}
