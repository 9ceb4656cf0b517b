import * as v from 'valibot'
import { strict } from '../base/options/schema.js'
import { jsonIn, ofForm } from './json.js'
import { sha256 } from './subject.js'

/** That a payload is in a set, or that it is not, as `proveMember` and `proveAbsent` of `alvarium-sdk/sets` show it. */
export interface PackedProof {
  /** The id of the set: 64 lower-case hexadecimal digits. The set has no salt. */
  readonly set: string
  /** The payload key, of sha256: 64 upper-case hexadecimal digits. */
  readonly key: string
  /** The message of the proof. */
  readonly proof: Uint8Array
}

const KEY = '64 upper-case hexadecimal digits'
const schema = strict({
  set: sha256,
  key: v.pipe(v.string(KEY), v.regex(/^[0-9A-F]{64}$/, KEY)),
  proof: v.custom<object>((value) => typeof value === 'object' && value !== null, 'a proof'),
})

/** A proof is written as one spelling of JSON, and so stands in the line as it is. */
export function proofLine({ set, key, proof }: PackedProof): Uint8Array {
  const written = new TextDecoder().decode(proof)
  return new TextEncoder().encode(
    `{"set":${JSON.stringify(set)},"key":${JSON.stringify(key)},"proof":${written}}`,
  )
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readProofLine(line: Uint8Array): PackedProof {
  const { set, key, proof } = ofForm(schema, jsonIn('proof', line), 'proof')
  return { set, key, proof: new TextEncoder().encode(JSON.stringify(proof)) }
}
