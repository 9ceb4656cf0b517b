import * as v from 'valibot'
import { toBase64 } from '../../foundation/base/bytes/base64.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { contentOf, messageOf } from '../../foundation/base/options/message.js'
import { oneOf, strict } from '../../foundation/base/options/schema.js'
import { count, hash, path } from './schemas.js'

/** Statement of a proof about a payload. */
export type ProofKind = 'member' | 'absent'

/** Fields of a proof, none of which are verified. */
export interface Proof {
  readonly says: ProofKind
  /** Root of the set: 64 lower-case hexadecimal digits. */
  readonly root: string
  /** Position of the first entry in the proof, from 0. */
  readonly index: number
  /** Entries in the proof, in hexadecimal: the entry of the payload, or the neighbours of an absent one. */
  readonly entries: readonly string[]
  /** Hashes from the entries up to the root, in base64. */
  readonly path: string
}

/** Type of the message (FORMAT.md, set/1). */
const TYPE = 'alvarium.SetProof/1'
/** Schema of the neighbours of an absent entry: one at an end of the set, none in an empty set. */
export const neighbours = v.pipe(v.array(hash, 'an array'), v.maxLength(2, 'at most 2 entries'))

const KIND = {
  type: TYPE,
  content: strict({ says: oneOf(['member', 'absent']), root: hash, index: count, entries: neighbours, path }),
  maxBytes: 8192,
  name: 'proof',
}

/**
 * Reads a proof.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function readProof(message: Uint8Array): Proof {
  return contentOf(message, KIND)
}

export function writeProof({ says, root, index, entries, path }: Proof): Uint8Array {
  return messageOf(TYPE, { says, root, index, entries, path })
}

/** Encodes entries and a path for a message. */
export function encodePath(shown: readonly Uint8Array[], hashes: Uint8Array) {
  return { entries: shown.map(toHex), path: toBase64(hashes) }
}
