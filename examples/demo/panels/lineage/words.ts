/** Texts about a payload of the lineage graph. */
import { payloadNameOf } from '../../state/payloads.ts'
import { percent, scores } from '../../state/scores.ts'
import { short } from '../../ui/text.ts'
import type { PayloadNode } from './graph.ts'

/** Returns the actions as text, such as `create, transit 2×`. */
export function actionsIn({ actions, at }: PayloadNode): string {
  if (at === undefined) return 'only named as a source'
  return Object.entries(actions)
    .map(([action, times]) => (times === 1 ? action : `${action} ${times}×`))
    .join(', ')
}

export function answersIn({ answers }: PayloadNode): { readonly yes: number; readonly no: number } {
  const all = [...answers.values()]
  const yes = all.reduce((sum, one) => sum + one.yes, 0)
  return { yes, no: all.reduce((sum, one) => sum + one.no, 0) }
}

export function sourcesIn({ key, madeFrom }: PayloadNode): string[] {
  return madeFrom.map((source) => source.key).filter((source) => source !== key)
}

/** Returns the score from 0 to 1; undefined without annotations. */
export function scoreIn(node: PayloadNode): number | undefined {
  return node.answers.size === 0 ? undefined : scores.value.scoreOf(node)
}

/** Returns the payload's name or, if it has none, the beginning of its key. */
export function nameOfNode({ key }: PayloadNode): string {
  return payloadNameOf(key) ?? short(key, 6)
}

/** Returns all facts about a payload in a sentence, for screen readers. */
export function sentenceOf(node: PayloadNode): string {
  const sources = sourcesIn(node).map((key) => payloadNameOf(key) ?? short(key, 6))
  const score = scoreIn(node)
  const name = payloadNameOf(node.key)
  return [
    ...(name === undefined ? [] : [name]),
    `payload ${short(node.key, 6)}`,
    sources.length > 0 ? `made from ${sources.join(' and ')}` : 'a source',
    actionsIn(node),
    ...Array.from(node.answers, ([kind, { yes, no }]) => `${kind} ${yes} of ${yes + no} satisfied`),
    score === undefined ? 'no score' : `score ${percent(score)}`,
  ].join(', ')
}
