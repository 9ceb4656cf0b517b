/** What a node says, in words. */
import { percent, scores } from '../../state/scores.ts'
import { short } from '../../ui/text.ts'
import type { Edge, PayloadNode } from './graph.ts'

/** `create, transit 2×` */
export function actionsIn({ actions, at }: PayloadNode): string {
  if (at === undefined) return 'only named as a source'
  return Object.entries(actions)
    .map(([action, times]) => (times === 1 ? action : `${action} ${times}×`))
    .join(', ')
}

/** How many of its answers are yes. */
export function answersIn({ answers }: PayloadNode): { readonly yes: number; readonly no: number } {
  const all = Object.values(answers)
  const yes = all.reduce((sum, one) => sum + one.yes, 0)
  return { yes, no: all.reduce((sum, one) => sum + one.all, 0) - yes }
}

/** From 0 to 1; undefined when nobody has answered anything. */
export function scoreIn(node: PayloadNode): number | undefined {
  const { yes, no } = answersIn(node)
  return yes + no === 0 ? undefined : scores.value.confidence.payload(node.key).score
}

/** All of it, for those who listen. */
export function sentenceOf(node: PayloadNode, edges: readonly Edge[]): string {
  const sources = edges.filter(({ to }) => to === node.key).map(({ from }) => short(from, 6))
  const score = scoreIn(node)
  return [
    `Payload ${short(node.key, 6)}`,
    sources.length > 0 ? `made from ${sources.join(' and ')}` : 'a source',
    actionsIn(node),
    ...Object.entries(node.answers).map(([kind, { yes, all }]) => `${kind} ${yes} of ${all} satisfied`),
    score === undefined ? 'no score' : `score ${percent(score)}`,
  ].join(', ')
}
