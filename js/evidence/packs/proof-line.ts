import * as v from 'valibot'
import { isSame } from '../../foundation/base/bytes/same.js'
import { malformed, textOf } from '../../foundation/base/errors.js'
import { strict } from '../../foundation/base/options/schema.js'
import { hash } from '../sets/reading.js'
import { jsonIn, ofForm } from './json.js'

/** Proof that a payload is in a set, or that it is not, made by `proveMember` or `proveAbsent` of `alvarium-sdk/sets`. */
export interface PackedProof {
  /** Id of the set: 64 lower-case hexadecimal digits. The set has no salt. */
  readonly set: string
  /** Payload key of sha256: 64 upper-case hexadecimal digits. */
  readonly key: string
  /** Message of the proof. */
  readonly proof: Uint8Array
}

const KEY = '64 upper-case hexadecimal digits'
const schema = strict({
  set: hash,
  key: v.pipe(v.string(KEY), v.regex(/^[0-9A-F]{64}$/, KEY)),
  proof: v.custom<object>((value) => typeof value === 'object' && value !== null, 'a proof'),
})

/** Writes a proof as a line in its only spelling, because other verifiers might read another spelling differently. */
export function proofLine({ set, key, proof }: PackedProof): Uint8Array {
  const written = new TextDecoder().decode(proof)
  return new TextEncoder().encode(
    `{"set":${JSON.stringify(set)},"key":${JSON.stringify(key)},"proof":${written}}`,
  )
}

/** Maximum bytes of a line. A proof has at most 8,192 bytes. */
const LONGEST = 16_384

/** Reads a line. @throws AlvariumError `MESSAGE_MALFORMED` */
export async function readProofLine(line: Uint8Array): Promise<PackedProof> {
  if (line.length > LONGEST) throw malformed('proof', `a line of at most ${LONGEST} bytes`, `${line.length}`)
  const { set, key, proof } = ofForm(schema, await jsonIn('proof', line), 'proof')
  const read = { set, key, proof: messageOf(proof) }
  if (isSame(proofLine(read), line)) return read
  throw malformed('proof', 'its members in order and without white space', 'another spelling')
}

/** Writes the proof as JSON again. A value that nests very deeply overflows the stack here, although parsing it did not. */
function messageOf(proof: object): Uint8Array {
  try {
    return new TextEncoder().encode(JSON.stringify(proof))
  } catch (error) {
    throw malformed('proof', 'one that can be written', textOf(error), error)
  }
}
