import type { Input, VerifiedBundle } from 'alvarium-sdk'
import {
  BundleGraph,
  type PayloadName,
  readPolicy,
  type ScoringPolicyFile,
  scorePayload,
  type Verdict,
} from 'alvarium-sdk/score'
import { said } from './said.js'

export interface Saying {
  readonly key: string
  readonly answers: Readonly<Record<string, boolean>>
  readonly signer?: string
  readonly host?: string
  readonly layer?: VerifiedBundle['layer']
  readonly tag?: string
  readonly previousKey?: string
  readonly hash?: VerifiedBundle['hash']
  readonly inputs?: readonly Input[]
}

export function fabricOf(sayings: readonly Saying[]): BundleGraph {
  const fabric = new BundleGraph()
  for (const { tag = '', ...saying } of sayings) {
    const bundle = said(saying)
    fabric.add({ ...bundle, annotations: bundle.annotations.map((one) => ({ ...one, tag })) })
  }
  return fabric
}

/** The payload that tests score. */
export const A: PayloadName = { key: 'A', hash: 'sha256' }

/** Returns the verdict on {@link A} from these statements. */
export function verdictOf(
  sayings: readonly Saying[],
  policy: Omit<ScoringPolicyFile, 'version'> = {},
): Verdict {
  return scorePayload(fabricOf(sayings).scoringInput(A), readPolicy({ version: 1, ...policy }))
}
