import * as v from 'valibot'
import { toBase64 } from '../base/bytes/base64.js'
import { toHex } from '../base/bytes/hex.js'
import { contentOf, messageOf } from '../base/options/message.js'
import { oneOf, strict } from '../base/options/schema.js'
import { count, hash, path } from './reading.js'

/** What a proof says of a payload. */
export type Says = 'member' | 'absent'

/** A proof, taken apart. Nothing of it is verified. */
export interface Proof {
  readonly says: Says
  /** Which set: 64 lower-case hexadecimal digits. */
  readonly root: string
  /** Place of the first entry that it shows, from 0. */
  readonly index: number
  /** The entries that it shows, in hexadecimal: the one, or the neighbours of what is absent. */
  readonly entries: readonly string[]
  /** Hashes on the way up to the root, in base64. */
  readonly path: string
}

/** FORMAT.md, set/1. */
const TYPE = 'alvarium.SetProof/1'
/** Neighbours of what is absent: fewer at an end, and none in an empty set. */
export const neighbours = v.pipe(v.array(hash, 'an array'), v.maxLength(2, 'at most 2 entries'))

const KIND = {
  type: TYPE,
  content: strict({ says: oneOf(['member', 'absent']), root: hash, index: count, entries: neighbours, path }),
  longest: 8192,
  name: 'proof',
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readProof(message: Uint8Array): Proof {
  return contentOf(message, KIND)
}

/** The bytes of its message. */
export function writeProof({ says, root, index, entries, path }: Proof): Uint8Array {
  return messageOf(TYPE, { says, root, index, entries, path })
}

/** Entries and a path as messages have them. */
export function written(shown: readonly Uint8Array[], hashes: Uint8Array) {
  return { entries: shown.map(toHex), path: toBase64(hashes) }
}
