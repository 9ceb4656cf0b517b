import { type Outcome, worstOf } from '../../foundation/model/outcome.js'
import { nameOf, type PayloadName } from '../../verifying/score/score.js'
import { escapeText } from '../terminal/safe-text.js'
import { count, countOf } from '../terminal/words.js'
import type { Parties, Party } from './parties.js'

export interface PicturedPayload extends PayloadName {
  /** Number of mutations between this payload and the payload in question, which has depth 0. */
  readonly depth: number
  readonly madeFrom: readonly PayloadName[]
  readonly madeFromSets: Iterable<string>
  /** Score as text, such as `75 %` or `unknown`; undefined without a score. */
  readonly score?: string | undefined
  readonly pruned?: number | undefined
  /** True if the store has bundles about the payload that were not read. */
  readonly hasMore?: boolean | undefined
}

/** Line of text in a box. An outcome puts its mark, such as ✓ or ✗, in front of the text. */
export interface Line {
  readonly text: string
  readonly outcome?: Outcome | undefined
  readonly isBold?: boolean
}

export interface Box {
  readonly name: string
  readonly outcome: Outcome
  readonly isAsked: boolean
  readonly lines: readonly Line[]
}

export interface Picture {
  /** Boxes, nearest payloads first. */
  readonly boxes: readonly Box[]
  /** Arrows between box names: `to` was made from `from`. */
  readonly arrows: readonly { readonly from: string; readonly to: string }[]
  readonly direction: 'up' | 'down'
  /** Title of the SVG, which screen readers read aloud. */
  readonly title: string
}

/** Maximum number of payloads in one picture, so that the picture stays readable. */
export const MAX_PICTURED = 100
const MAX_PARTIES = 10
const MAX_VALUE = 120

/** Converts a lineage to a picture. @param payloads - payloads of the lineage, nearest first */
export function pictureOf(
  payloads: readonly PicturedPayload[],
  parties: Parties,
  title: string,
  direction: Picture['direction'] = 'up',
): Picture {
  const shown = payloads.slice(0, MAX_PICTURED)
  const boxes = new Map(shown.map((one) => [nameOf(one), payloadBox(one, parties.of(one))]))
  for (const one of shown) for (const set of one.madeFromSets) boxes.set(`set ${set}`, setBox(set))
  const arrows = shown.flatMap((one) =>
    [...one.madeFrom.map(nameOf), ...Array.from(one.madeFromSets, (set) => `set ${set}`)]
      .filter((from) => boxes.has(from))
      .map((from) => ({ from, to: nameOf(one) })),
  )
  return { boxes: withNumbers([...boxes.values()], arrows), arrows, direction, title: value(title) }
}

/** Adds a number to each box, and the numbers of its sources, because arrows may cross. */
function withNumbers(boxes: readonly Box[], arrows: Picture['arrows']): Box[] {
  const numbers = new Map(boxes.map(({ name }, at) => [name, at + 1]))
  return boxes.map((box) => {
    const from = arrows.filter(({ to }) => to === box.name).map((one) => numbers.get(one.from))
    const [title, ...lines] = box.lines
    const sourceLines = from.length > 0 ? [{ text: `made from ${from.join(', ')}` }] : []
    return {
      ...box,
      lines: [{ text: `${numbers.get(box.name)}: ${title?.text}`, isBold: true }, ...sourceLines, ...lines],
    }
  })
}

function payloadBox(payload: PicturedPayload, parties: readonly Party[]): Box {
  const { depth, score, pruned = 0, hasMore = false } = payload
  const more = parties.length - MAX_PARTIES
  const lines: Line[] = [
    { text: score === undefined ? 'payload' : `payload, ${score}`, isBold: true },
    ...nameLines(payload),
    ...parties.slice(0, MAX_PARTIES).flatMap(partyLines),
    ...(more > 0 ? [unknown(`${countOf(more, 'more signer')} not shown`)] : []),
    ...(hasMore ? [unknown('more bundles not shown')] : []),
    ...(pruned > 0 ? [unknown(`${countOf(pruned, 'bundle')} pruned`)] : []),
    ...(parties.length === 0 && pruned === 0 ? [unknown('nothing was said')] : []),
  ]
  const outcome = worstOf(lines.flatMap((line) => line.outcome ?? []).concat(outcomesOf(parties)))
  return { name: nameOf(payload), outcome, isAsked: depth === 0, lines }
}

function outcomesOf(parties: readonly Party[]): Outcome[] {
  return parties.map(({ outcome }) => outcome)
}

function setBox(set: string): Box {
  const lines = [{ text: 'sealed set', isBold: true }, ...halves(set), unknown('its payloads are unknown')]
  return { name: `set ${set}`, outcome: 'cannot tell', isAsked: false, lines }
}

function unknown(text: string): Line {
  return { text, outcome: 'cannot tell' }
}

function nameLines({ key, hash }: PayloadName): Line[] {
  if (hash === 'none') return [{ text: `“${value(key)}” (hash none)` }]
  return hash === 'sha256' ? halves(key) : [...halves(key), { text: `(${hash})` }]
}

/** Splits a SHA-256 digest into two lines of 32 digits. Leaves other digests on one line. */
function halves(digits: string): Line[] {
  return digits.length === 64
    ? [digits.slice(0, 32), digits.slice(32)].map((text) => ({ text }))
    : [{ text: value(digits) }]
}

function partyLines(party: Party): Line[] {
  const { signer, host, action = 'annotated', outcome, fault, answers, first, last, count: messages } = party
  const head: Line[] =
    fault === undefined
      ? [{ text: `${action} by ${value(signer)}`, outcome }]
      : [
          { text: `not verified: ${fault}`, outcome },
          { text: `  claims ${action} by` },
          { text: `  ${value(signer)}` },
        ]
  const times = messages > 1 ? `, ${countOf(messages, 'time')}` : ''
  const when =
    first === last ? [`${value(first)}${times}`] : [`from ${value(first)}`, `to ${value(last)}${times}`]
  return [
    ...head,
    { text: `  on ${value(host)}` },
    ...when.map((line) => ({ text: `  ${line}` })),
    ...answerLines(answers),
  ]
}

/**
 * Returns lines for the annotations, without ✓ or ✗. A ✓ means that a message is genuine, but the annotations of
 * a genuine message may say "no".
 */
function answerLines(answers: Party['answers']): Line[] {
  return (['yes', 'no'] as const).flatMap((answer) => {
    const kinds = [...answers].flatMap(([kind, { [answer]: times }]) =>
      times === 0 ? [] : [`${value(kind)}${times > 1 ? ` (${count(times)} times)` : ''}`],
    )
    return kinds.length === 0 ? [] : [{ text: `  ${answer}: ${kinds.join(', ')}`, isBold: answer === 'no' }]
  })
}

/** Escapes and shortens text that a stranger wrote. */
function value(text: string): string {
  const characters = [...text]
  if (characters.length <= MAX_VALUE) return escapeText(text)
  return `${escapeText(characters.slice(0, MAX_VALUE).join(''))}… (${characters.length - MAX_VALUE} more)`
}
