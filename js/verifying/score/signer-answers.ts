import type { ScoringPolicy } from './policy.js'
import type { Statement } from './scoring-input.js'
import type { Answer } from './share.js'

/**
 * Annotations of one signer, host, layer and kind, counted together. With `repeats: 'each'`, they also have
 * one tag and one `isSatisfied`.
 */
export interface SignerAnswer extends Answer {
  readonly signer: string
  readonly host: string
  readonly layer: string
  /** Tag of the last annotation that the answer counts. It names the build or machine that the answer depends on. */
  readonly tag: string
}

/** Answer of a signer, and a `name` that identifies it among all answers. */
export type NamedAnswer = readonly [name: string, answer: SignerAnswer]

/** Compares answers by their `name`, so that their order does not depend on the order in which bundles were added. */
export function compareAnswers([one]: NamedAnswer, [other]: NamedAnswer): number {
  return one < other ? -1 : 1
}

/** Counts answers according to the policy, in steps, because a payload may have a million bundles. */
export function* collectAnswers(
  statements: readonly Statement[],
  policy: ScoringPolicy,
): Generator<void, NamedAnswer[]> {
  const answers = new Map<string, SignerAnswer>()
  for (const statement of statements) {
    yield
    const { signer, host, layer, annotations, count = 1 } = statement
    for (const { kind, tag, isSatisfied } of annotations) {
      const nameParts = [kind, signer, host, layer]
      const name = JSON.stringify(policy.repeats === 'once' ? nameParts : [...nameParts, tag, isSatisfied])
      const before = answers.get(name)
      answers.set(name, {
        kind,
        signer,
        host,
        layer,
        tag,
        // Count the answer as unsatisfied if one of its annotations is.
        isSatisfied: isSatisfied && before?.isSatisfied !== false,
        count: policy.repeats === 'once' ? 1 : (before?.count ?? 0) + count,
        trust: before?.trust ?? trustOf(policy, { kind, signer, host, layer }),
      })
    }
  }
  return [...answers]
}

function trustOf(
  { trust }: ScoringPolicy,
  answer: Pick<SignerAnswer, 'signer' | 'host' | 'layer' | 'kind'>,
): number {
  const rule = trust.find(({ signer, host, layer, kind }) => {
    return (
      (signer ?? answer.signer) === answer.signer &&
      (host ?? answer.host) === answer.host &&
      (layer ?? answer.layer) === answer.layer &&
      (kind ?? answer.kind) === answer.kind
    )
  })
  return rule?.trust ?? 1
}
