import {
  type PayloadName,
  percentOf,
  readPolicy,
  type Score,
  type ScoringPolicy,
  type Why,
} from 'alvarium-sdk/score'
import { inFile } from '../fault.js'
import { textIn } from '../input/text.js'
import { answer } from '../terminal/bundle-text.js'
import {
  bold,
  dim,
  joinTexts,
  type SafeText,
  safeText,
  type TextValue,
  toSafeText,
  yellow,
} from '../terminal/safe-text.js'
import { count, short } from '../terminal/words.js'

/** Reads the scoring policy of `--policy`. Without the option, returns the default policy of a store. */
export async function policyIn(path: string | undefined): Promise<ScoringPolicy> {
  if (path === undefined) return readPolicy({ version: 1 })
  const text = await textIn('--policy', path)
  try {
    return readPolicy(text)
  } catch (error) {
    throw inFile('--policy', path, error)
  }
}

export function percent(score: Score): string {
  // Round down, so that only a full score shows 100 %.
  return score === 'unknown' ? score : `${Math.floor(percentOf(score))} %`
}

/** Depth of ancestors beyond which the indentation no longer grows. `--json` has the exact depth. */
const MAX_INDENT = 30

export function indent(depth: number): string {
  return '  '.repeat(Math.min(depth, MAX_INDENT))
}

/** Formats a payload key, followed by its hash algorithm unless that is SHA-256. */
export function keyText({ key, hash }: PayloadName): SafeText {
  return hash === 'sha256' ? toSafeText(key) : safeText`${key} ${dim(`(${hash})`)}`
}

export function setText(set: string): SafeText {
  return safeText`the set ${set}`
}

export function forgottenText(at: number): SafeText {
  return yellow(
    `? bundles that named a payload which was forgotten on ${new Date(at).toISOString().slice(0, 10)} are gone`,
  )
}

export function answersIn(
  answers: ReadonlyMap<string, { readonly yes: number; readonly no: number }>,
): SafeText {
  if (answers.size === 0) return safeText`nothing was said`
  return joinTexts(
    [...answers].map(([kind, { yes, no }]) => {
      const counts = [...(yes > 0 ? [`${yes} yes`] : []), ...(no > 0 ? [bold(`${no} no`)] : [])]
      return safeText`${kind} ${joinTexts(counts, ', ')}`
    }),
    '  ',
  )
}

/** Explains a score in one line: vetoes, counted answers, the ancestor with the lowest score, the first of `gaps`. */
export function reasonOf({ vetoes, answers, ancestors: [lowest], gaps: [gap], leftOut }: Why): SafeText {
  const counts = new Map<string, { yes: number; no: number }>()
  for (const { kind, isSatisfied, count, trust } of answers) {
    if (trust === 0) continue
    const { yes, no } = counts.get(kind) ?? { yes: 0, no: 0 }
    counts.set(kind, isSatisfied ? { yes: yes + count, no } : { yes, no: no + count })
  }
  return joinTexts(
    [
      ...vetoes.map(vetoText),
      answersIn(counts),
      ...(lowest ? [safeText`lowest source ${percent(lowest.score)}, ${short(lowest.key)}`] : []),
      ...(gap ? [gapText(short(gap.key))] : []),
      ...(leftOut > 0 ? [`${count(leftOut)} more: --json shows all`] : []),
    ],
    '; ',
  )
}

export function reasonsOf({ vetoes, answers, ancestors, gaps }: Why): SafeText[] {
  return [
    ...vetoes.map(vetoText),
    ...answers.map((one) => safeText`${answer(one)}  by ${short(one.signer)} on ${one.host}`),
    ...ancestors.map((one) => safeText`made from ${keyText(one)}  ${percentOf(one.score)} %`),
    ...gaps.map((one) => gapText(keyText(one))),
  ]
}

function vetoText(kind: string): SafeText {
  return safeText`${kind} is required: without a yes, or with a no, the score is 0`
}

function gapText(key: TextValue): SafeText {
  return safeText`${yellow('?')} what ${key} was made from is not known`
}
