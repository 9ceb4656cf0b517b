import { toHex } from '../base/bytes/hex.js'
import type { Codec } from '../codecs/codec.js'
import { leafHash } from '../core/hashing.js'
import type { Action } from '../model/bundle.js'
import { identityOf } from '../verify/large.js'
import type { VerifiedBundle } from '../verify/options.js'
import { readable } from '../verify/readable.js'
import { ENTRY_BYTES } from './text.js'

/** A message as logs know it. */
export interface Leaf {
  /** What lists have of its leaf hash. */
  readonly key: string
  /** How many bundles it was signed with. */
  readonly size: number
}

const BATCH = 'alvarium.AnnotationBatch/1\n'
/** FORMAT.md, batch/1: the line, and the signer behind its length. */
const COUNT_AT = BATCH.length + 4 + 32
/** What our writer begins single bundles with, behind the action. Readers refuse an object that has a member twice. */
export const SINGLE = new TextEncoder().encode('","messageType":"alvarium.AnnotationBundle/1",')
const ACTION_AT = '{"action":"'.length

/** @param bundle - the first that was verified in the message */
export function leafOf(message: Uint8Array, bundle: VerifiedBundle, codec: Codec | undefined): Leaf {
  // Of a single bundle it is the id, which is known.
  if (isSpelledSingle(message, bundle.action)) return singleLeaf(bundle.id)
  return leafOfIdentity(identityOf(bundle, () => readable(message, codec)))
}

/** Whether a message that was verified has one bundle, by how our writer begins it. One that is spelled in another way may have one too. */
export function isSpelledSingle(message: Uint8Array, { length }: Action): boolean {
  return SINGLE.every((byte, at) => message[ACTION_AT + length + at] === byte)
}

/** Of a bundle that was signed alone. */
export function singleLeaf(id: string): Leaf {
  return { key: id.slice(0, 2 * ENTRY_BYTES), size: 1 }
}

/** @param identity - the bytes that were signed */
export function leafOfIdentity(identity: Uint8Array): Leaf {
  return { key: toHex(leafHash(identity).subarray(0, ENTRY_BYTES)), size: sizeOf(identity) }
}

function sizeOf(identity: Uint8Array): number {
  const isBatch = new TextDecoder().decode(identity.subarray(0, BATCH.length)) === BATCH
  return isBatch ? new DataView(identity.buffer, identity.byteOffset).getUint32(COUNT_AT) : 1
}
