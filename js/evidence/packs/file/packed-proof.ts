import * as v from 'valibot'
import { isSame } from '../../../foundation/base/bytes/same.js'
import { expected, malformed, textOf } from '../../../foundation/base/errors.js'
import { CANONICAL } from '../../../foundation/base/options/message.js'
import { strict } from '../../../foundation/base/options/schema.js'
import type { KeyList } from '../../sets/key-list.js'
import { proveMember } from '../../sets/prove.js'
import { hash } from '../../sets/schemas.js'
import { assertListOf, assertVerifiedSet, type VerifiedSet } from '../../sets/verify-set.js'
import { checkSchema, jsonIn } from './json.js'

/** Proof that a payload is in a set, or is not, made by `proveMember` or `proveAbsent` of `alvarium-sdk/sets`. */
export interface PackedProof {
  /** Id of a set without a salt: 64 lower-case hexadecimal digits. */
  readonly set: string
  /** Payload key with the hash sha256: 64 upper-case hexadecimal digits. */
  readonly key: string
  /** Bytes of the proof message. */
  readonly proof: Uint8Array
}

const KEY = '64 upper-case hexadecimal digits'
const schema = strict({
  set: hash,
  key: v.pipe(v.string(KEY), v.regex(/^[0-9A-F]{64}$/, KEY)),
  proof: v.custom<object>((value) => typeof value === 'object' && value !== null, 'a proof'),
})

/** Returns a proof as a line of JSON with fixed member order, the only form that {@link readProofLine} accepts. */
export function proofLine({ set, key, proof }: PackedProof): Uint8Array {
  const proofText = new TextDecoder().decode(proof)
  return new TextEncoder().encode(
    `{"set":${JSON.stringify(set)},"key":${JSON.stringify(key)},"proof":${proofText}}`,
  )
}

/** Maximum length of a proof line in bytes. The proof itself has at most 8,192 bytes. */
const MAX_LINE_BYTES = 16_384

/** Parses a line with a proof. @throws AlvariumError `MESSAGE_MALFORMED` */
export async function readProofLine(line: Uint8Array): Promise<PackedProof> {
  if (line.length > MAX_LINE_BYTES)
    throw malformed('proof', `a line of at most ${MAX_LINE_BYTES} bytes`, `${line.length}`)
  const { set, key, proof } = checkSchema(schema, await jsonIn('proof', line), 'proof')
  const read = { set, key, proof: messageOf(proof) }
  if (isSame(proofLine(read), line)) return read
  throw malformed('proof', CANONICAL, 'JSON in another form')
}

/** Returns the proof as JSON bytes. Deep nesting can overflow the stack here although `JSON.parse` accepted it. */
function messageOf(proof: object): Uint8Array {
  try {
    return new TextEncoder().encode(JSON.stringify(proof))
  } catch (error) {
    throw malformed('proof', 'a proof that JSON.stringify can serialize', textOf(error), error)
  }
}

/**
 * Makes proofs for all payloads of a set, for the option `proofs` of `makePack`. The score of a payload that
 * was made from the set then depends on all members of the set. Iterating makes one proof at a time, which
 * takes 0.1 ms. A million proofs add 1.2 GB to a pack.
 *
 * @param set - the result of `verifySet`, of a set without a salt
 * @param list - the key list of the set
 * @throws TypeError if `set` is not a result of `verifySet`
 * @throws AlvariumError `CONFIG_INVALID` for a set with a salt, because a pack does not contain salts;
 * `PROOF_INVALID` for the list of another set
 *
 * @example
 * ```ts
 * import { makePack, memberProofs } from 'alvarium-sdk/packs'
 * import { sealSet, verifySet } from 'alvarium-sdk/sets'
 *
 * const { message: sealed, list } = await sealSet([payload], { signingKey, name: 'training-7' })
 * const proofs = memberProofs(await verifySet(sealed, { keyring }), list)
 * const trust = { signers: [{ name: 'gateway-1', keys: [keyText] }] }
 * const about = { payload: { hash: 'sha256', key: keyOf(payload) } } as const
 * await writeFile('evidence.zip', makePack([message], { about, trust, sets: [sealed], proofs }))
 * ```
 */
export function memberProofs(set: VerifiedSet, list: KeyList): Iterable<PackedProof> {
  assertVerifiedSet(set)
  // Refuse a set with a salt, because the entries of its list are salted hashes, not payload keys.
  if (set.salt !== undefined)
    throw expected('CONFIG_INVALID', 'set', 'a set without a salt', 'a set with a salt')
  assertListOf(set, list)
  return { [Symbol.iterator]: () => proofsOf(set.id, list) }
}

function* proofsOf(set: string, list: KeyList): Generator<PackedProof, void> {
  for (const key of list.keys()) yield { set, key, proof: proveMember(list, key) }
}
