import type { Input, VerifiedBundle } from 'alvarium-sdk'
import {
  Fabric,
  type JudgingPolicyFile,
  judge,
  type PayloadName,
  readPolicy,
  type Verdict,
} from 'alvarium-sdk/judge'
import { said } from './said.js'

/** What somebody says of a payload: answers by kind. */
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

/** A fabric of what was said, in this order. */
export function fabricOf(sayings: readonly Saying[]): Fabric {
  const fabric = new Fabric()
  for (const { tag = '', ...saying } of sayings) {
    const bundle = said(saying)
    fabric.add({ ...bundle, annotations: bundle.annotations.map((one) => ({ ...one, tag })) })
  }
  return fabric
}

/** The payload that tests judge. */
export const A: PayloadName = { key: 'A', hash: 'sha256' }

/** How {@link A} is judged by what was said. */
export function judged(sayings: readonly Saying[], policy: Omit<JudgingPolicyFile, 'version'> = {}): Verdict {
  return judge(fabricOf(sayings).dossier(A), readPolicy({ version: 1, ...policy }))
}
