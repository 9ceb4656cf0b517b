import { type KnownPayload, type PayloadName, percentOf } from 'alvarium-sdk/judge'
import { dim, green, joined, padded, red, type Shown, shown, toShown, yellow } from '../terminal/shown.js'

/** ` 75 %`, to line up. */
export function percent(score: number): string {
  // What is nearly all is not all.
  return `${`${Math.floor(percentOf(score))}`.padStart(3)} %`
}

/** Deep enough for people; `--json` has all. */
const MOST_INDENTED = 30

/** What stands before a payload that is so many steps away. */
export function indent(depth: number): string {
  return '  '.repeat(Math.min(depth, MOST_INDENTED))
}

/** A key, with what is not to be taken for granted of it. */
export function keyText({ key, hash }: PayloadName): Shown {
  return hash === 'sha256' ? toShown(key) : shown`${key} ${dim(`(${hash})`)}`
}

/** A sealed set among the inputs of a payload. */
export function setText(set: string): Shown {
  return shown`the set ${set}`
}

/** Tells when a payload was forgotten that bundles about this one had named. */
export function forgottenText(at: number): Shown {
  return yellow(
    `? bundles that named a payload which was forgotten on ${new Date(at).toISOString().slice(0, 10)} are gone`,
  )
}

/** Which answers there were, by kind. */
export function answersIn({ answers }: Pick<KnownPayload, 'answers'>): Shown {
  if (answers.size === 0) return shown`nothing was said`
  return joined(
    [...answers].map(
      ([kind, { yes, no }]) =>
        shown`${kind}${yes > 0 ? green(` ✓${yes}`) : ''}${no > 0 ? red(` ✗${no}`) : ''}`,
    ),
    '  ',
  )
}

/** A payload in one line. */
export function rowOf(known: KnownPayload, score: number): Shown {
  return shown`${percent(score)}  ${padded(keyText(known), 64)}  ${answersIn(known)}`
}

/** A payload for programs. */
export function jsonOf(known: KnownPayload, score: number): object {
  const { key, hash, answers, madeFrom, madeFromSets, bundles } = known
  return {
    ...{ key, hash, score, bundles, answers: Object.fromEntries(answers) },
    madeFrom: Array.from(madeFrom.values(), (one) => one.key),
    ...(madeFromSets.size > 0 && { madeFromSets: [...madeFromSets] }),
  }
}
