/** Scores of payloads, with weights that the visitor sets. */
import { computed, signal } from '@preact/signals'
import { BundleGraph, type PayloadName, percentOf, readPolicy, scorePayload } from 'alvarium-sdk/score'
import { verifiedOnes } from './verdicts.ts'

/** Default weight of a kind. */
const USUAL = 1

/** Weights by kind of annotation. Kinds that are missing here have the weight {@link USUAL}. */
export const weights = signal<Readonly<Record<string, number>>>({})

/** Returns the weight of a kind, even of a kind with the name `constructor`. */
export function weightOf(kind: string): number {
  return Object.hasOwn(weights.value, kind) ? (weights.value[kind] as number) : USUAL
}

export function weigh(kind: string, weight: number): void {
  weights.value = { ...weights.value, [kind]: weight }
}

export const kinds = computed<readonly string[]>(() =>
  [...new Set(verifiedOnes.value.flatMap(({ bundle }) => bundle.annotations.map(({ kind }) => kind)))].sort(),
)

/** Score of a payload after one of its bundles. */
export interface Scored extends PayloadName {
  readonly at: number
  /** Score from 0 to 1, after the bundle with number `at`. */
  readonly score: number
}

/** Number of slider steps in a weight of 1. The policy counts weights in steps, because it needs whole numbers. */
const UNITS = 2

/** Policy by which a payload is scored from its own statements. */
const policy = computed(() =>
  readPolicy({
    version: 1,
    ancestors: 'own',
    repeats: 'each',
    weights: Object.fromEntries(kinds.value.map((kind) => [kind, UNITS * weightOf(kind)])),
  }),
)

/** Verified bundles as a graph, and the history of the scores of their payloads, oldest first. */
export const scores = computed(() => {
  const graph = new BundleGraph()
  const scoreOf = (payload: PayloadName) =>
    scorePayload(graph.scoringInput(payload, { limit: 0 }), policy.value).why.own
  const history = verifiedOnes.value.map(({ at, bundle }): Scored => {
    graph.add(bundle)
    return { at, key: bundle.key, hash: bundle.hash, score: scoreOf(bundle) }
  })
  return { graph, scoreOf, history }
})

export function isAnswered(payload: PayloadName): boolean {
  return scores.value.graph.statements(payload).some(({ annotations }) => annotations.length > 0)
}

/** Formats a percentage as `75 %` with a no-break space. Rounds down: only a full score shows 100 %. */
export function percent(score: number): string {
  return `${Math.floor(percentOf(score))}\u00a0%`
}
