import * as v from 'valibot'
import { toBase64 } from '../../foundation/base/bytes/base64.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { contentOf, messageOf } from '../../foundation/base/options/message.js'
import { oneOf, strict } from '../../foundation/base/options/schema.js'
import { count, hash, path } from './schemas.js'

export type ProofKind = 'member' | 'absent'

/** Proof about a payload and a set. Nothing in it is verified. */
export interface Proof {
  readonly says: ProofKind
  /** Root of the set: 64 lower-case hexadecimal digits. */
  readonly root: string
  /** Position of the first entry in the proof, counted from 0. */
  readonly index: number
  /** Entries in hexadecimal: the entry of the payload, or the neighbours of an absent entry. */
  readonly entries: readonly string[]
  /** Concatenated hashes of the path from the entries up to the root, in base64. */
  readonly path: string
}

/** Message type (FORMAT.md, set/1). */
const TYPE = 'alvarium.SetProof/1'
/** The entries next to an absent one: two, or one at an end of the set, or none in an empty set. */
export const neighbours = v.pipe(v.array(hash, 'an array'), v.maxLength(2, 'at most 2 entries'))

const KIND = {
  type: TYPE,
  content: strict({ says: oneOf(['member', 'absent']), root: hash, index: count, entries: neighbours, path }),
  maxBytes: 8192,
  name: 'proof',
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readProof(message: Uint8Array): Proof {
  return contentOf(message, KIND)
}

export function writeProof({ says, root, index, entries, path }: Proof): Uint8Array {
  return messageOf(TYPE, { says, root, index, entries, path })
}

export function encodePath(shown: readonly Uint8Array[], hashes: Uint8Array) {
  return { entries: shown.map(toHex), path: toBase64(hashes) }
}
