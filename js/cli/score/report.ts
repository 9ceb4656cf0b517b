import { type KnownPayload, type PayloadName, percentOf, type ScorePolicy } from 'alvarium-sdk/judge'
import {
  bold,
  dim,
  joinTexts,
  padText,
  type SafeText,
  safeText,
  toSafeText,
  yellow,
} from '../terminal/safe-text.js'
import { count } from '../terminal/words.js'

/** Formats a score in five columns, as ` 75 %`. */
export function percent(score: number): string {
  // Round down, so that only a full score shows 100 %.
  return `${`${Math.floor(percentOf(score))}`.padStart(3)} %`
}

/** Maximum depth that is indented. `--json` has the exact depth. */
const MAX_INDENT = 30

export function indent(depth: number): string {
  return '  '.repeat(Math.min(depth, MAX_INDENT))
}

/** Formats a payload key, followed by the hash unless it is SHA-256. */
export function keyText({ key, hash }: PayloadName): SafeText {
  return hash === 'sha256' ? toSafeText(key) : safeText`${key} ${dim(`(${hash})`)}`
}

export function setText(set: string): SafeText {
  return safeText`the set ${set}`
}

/** Formats a note that a source of the payload was forgotten, with the date. */
export function forgottenText(at: number): SafeText {
  return yellow(
    `? bundles that named a payload which was forgotten on ${new Date(at).toISOString().slice(0, 10)} are gone`,
  )
}

/** Formats the counts of yes and no for each kind of annotation. */
export function answersIn({ answers }: Pick<KnownPayload, 'answers'>): SafeText {
  if (answers.size === 0) return safeText`nothing was said`
  return joinTexts(
    [...answers].map(([kind, { yes, no }]) => {
      const counts = [...(yes > 0 ? [`${yes} yes`] : []), ...(no > 0 ? [bold(`${no} no`)] : [])]
      return safeText`${kind} ${joinTexts(counts, ', ')}`
    }),
    '  ',
  )
}

/** Returns the row of a payload, with its key, score and the reason for the score. */
export function rowOf(known: KnownPayload, score: number, policy: ScorePolicy): SafeText {
  return safeText`${percent(score)}  ${padText(keyText(known), 64)}  ${reasonOf(known, policy)}`
}

/** Explains a score: the satisfied weight out of the total weight, overall and for each kind. */
export function reasonOf({ answers }: Pick<KnownPayload, 'answers'>, policy: ScorePolicy): SafeText {
  if (answers.size === 0) return safeText`nothing was said`
  const kinds = Array.from(answers, ([kind, { yes, no }]) => weigh(kind, yes, no, policy))
  const [yes, all] = [sum(kinds.map((one) => one.yes)), sum(kinds.map((one) => one.all))]
  const unit = kinds.every(({ weight }) => weight === 1) ? 'yes' : 'by weight'
  const parts = joinTexts(kinds.map(kindText), ', ')
  const whole =
    kinds.length > 1 || unit !== 'yes'
      ? safeText`${share(yes, all)} ${unit}: ${parts}`
      : safeText`${parts} yes`
  return joinTexts([...vetoes(answers, policy), whole], '; ')
}

/** Counts of one kind of annotation, multiplied by its weight. */
interface WeighedKind {
  readonly kind: string
  readonly weight: number
  readonly answers: string
  readonly yes: number
  readonly all: number
}

function weigh(kind: string, yes: number, no: number, { weights = {} }: ScorePolicy): WeighedKind {
  const weight = Object.hasOwn(weights, kind) ? (weights[kind] as number) : 1
  return { kind, weight, answers: share(yes, yes + no), yes: weight * yes, all: weight * (yes + no) }
}

function kindText({ kind, weight, answers, yes, all }: WeighedKind): SafeText {
  const how = weight === 1 ? '' : ` (${answers} yes, weight ${weight})`
  const text = `${kind} ${share(yes, all)}${how}`
  return yes < all ? bold(text) : toSafeText(text)
}

function vetoes(answers: KnownPayload['answers'], { required = [] }: ScorePolicy): string[] {
  return [...new Set(required)].flatMap((kind) => {
    const { yes, no } = answers.get(kind) ?? { yes: 0, no: 0 }
    if (no > 0) return [`${kind} is required, and has a no`]
    return yes === 0 ? [`${kind} is required, and has no yes`] : []
  })
}

function share(part: number, whole: number): string {
  return `${weightText(part)} of ${weightText(whole)}`
}

/** Formats a weight with at most six decimals, because a sum of doubles may have more. */
function weightText(weight: number): string {
  return Number.isInteger(weight) ? count(weight) : `${Math.round(weight * 1_000_000) / 1_000_000}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** Returns the JSON report of a payload. */
export function jsonOf(known: KnownPayload, score: number): object {
  const { key, hash, answers, madeFrom, madeFromSets, bundles } = known
  return {
    ...{ key, hash, score, bundles, answers: Object.fromEntries(answers) },
    madeFrom: Array.from(madeFrom.values(), (one) => one.key),
    ...(madeFromSets.size > 0 && { madeFromSets: [...madeFromSets] }),
  }
}
