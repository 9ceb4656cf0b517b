import type { Statement } from './dossier.js'
import type { JudgingPolicy } from './policy.js'
import { type Answer, WHOLE } from './share.js'

/** The answers of one signer on one host to one kind, as far as they are alike. */
export interface Voice extends Answer {
  readonly signer: string
  readonly host: string
  readonly layer: string
  /** Which build or machine it stands on, by the last of what was said. */
  readonly tag: string
}

/** Who says what, as often as the policy counts it, in an order that does not depend on that of arrival. */
export function voicesOf(statements: readonly Statement[], policy: JudgingPolicy): Voice[] {
  const voices = new Map<string, Voice>()
  for (const statement of statements) {
    const { signer, host, layer, annotations, count = 1 } = statement
    for (const { kind, tag, isSatisfied } of annotations) {
      const who = [kind, signer, host, layer]
      const name = JSON.stringify(policy.repeats === 'once' ? who : [...who, tag, isSatisfied])
      const before = voices.get(name)
      voices.set(name, {
        ...{ kind, signer, host, layer, tag },
        // A no outweighs any yes of the same signer.
        isSatisfied: isSatisfied && before?.isSatisfied !== false,
        count: policy.repeats === 'once' ? 1 : (before?.count ?? 0) + count,
        trust: before?.trust ?? trustIn(policy, { kind, signer, host, layer }),
      })
    }
  }
  return [...voices].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, voice]) => voice)
}

function trustIn({ trust }: JudgingPolicy, voice: Pick<Voice, 'signer' | 'host' | 'layer' | 'kind'>): number {
  const rule = trust.find(({ signer, host, layer, kind }) => {
    return (
      (signer ?? voice.signer) === voice.signer &&
      (host ?? voice.host) === voice.host &&
      (layer ?? voice.layer) === voice.layer &&
      (kind ?? voice.kind) === voice.kind
    )
  })
  return rule?.trust ?? WHOLE
}
