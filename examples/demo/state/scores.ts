/** Confidence in payloads, with weights that the visitor sets. */
import { computed, signal } from '@preact/signals'
import { Confidence, type PayloadName, percentOf } from 'alvarium-sdk/judge'
import { verifiedOnes } from './verdicts.ts'

/** What a kind weighs that the visitor has not weighed. */
export const USUAL = 1

/** By kind; kinds that are not here weigh {@link USUAL}. */
export const weights = signal<Readonly<Record<string, number>>>({})

export function weigh(kind: string, weight: number): void {
  weights.value = { ...weights.value, [kind]: weight }
}

/** Kinds that have been heard of, in the order of their names. */
export const kinds = computed<readonly string[]>(() =>
  [...new Set(verifiedOnes.value.flatMap(({ bundle }) => bundle.annotations.map(({ kind }) => kind)))].sort(),
)

/** What a bundle did to its payload's score. */
export interface Scored extends PayloadName {
  readonly at: number
  /** From 0 to 1; of the payload, after this bundle. */
  readonly score: number
}

/** All that is known, weighed: the payloads, and how their scores came about, oldest first. */
export const scores = computed(() => {
  const confidence = new Confidence({ weights: weights.value })
  const history = verifiedOnes.value.map(({ at, bundle }): Scored => {
    confidence.add(bundle)
    return { at, key: bundle.key, hash: bundle.hash, score: confidence.score(bundle) }
  })
  return { confidence, history }
})

/** `75 %`, on one line; what is nearly all is not all. */
export function percent(score: number): string {
  return `${Math.floor(percentOf(score))}\u00a0%`
}
