/** Confidence in payloads, with weights that the visitor sets. */
import { computed, signal } from '@preact/signals'
import { Confidence, type PayloadName, percentOf } from 'alvarium-sdk/judge'
import { verifiedOnes } from './verdicts.ts'

/** Default weight of a kind. */
export const USUAL = 1

/** Weights by kind of annotation. Kinds that are missing here have the weight {@link USUAL}. */
export const weights = signal<Readonly<Record<string, number>>>({})

export function weigh(kind: string, weight: number): void {
  weights.value = { ...weights.value, [kind]: weight }
}

/** Kinds of annotations in the verified bundles, sorted. */
export const kinds = computed<readonly string[]>(() =>
  [...new Set(verifiedOnes.value.flatMap(({ bundle }) => bundle.annotations.map(({ kind }) => kind)))].sort(),
)

/** Score of a payload after one of its bundles. */
export interface Scored extends PayloadName {
  readonly at: number
  /** Score from 0 to 1, after the bundle with number `at`. */
  readonly score: number
}

/** Weighted confidence in all payloads, and the history of their scores, oldest first. */
export const scores = computed(() => {
  const confidence = new Confidence({ weights: weights.value })
  const history = verifiedOnes.value.map(({ at, bundle }): Scored => {
    confidence.add(bundle)
    return { at, key: bundle.key, hash: bundle.hash, score: confidence.score(bundle) }
  })
  return { confidence, history }
})

/** Formats a percentage as `75 %` with a no-break space. Rounds down: only a full score shows 100 %. */
export function percent(score: number): string {
  return `${Math.floor(percentOf(score))}\u00a0%`
}
