import { toHex } from '../../../foundation/base/bytes/hex.js'
import { leafHash } from '../../../foundation/core/hashing.js'
import type { Action } from '../../../foundation/model/bundle.js'
import type { Codec } from '../../../transport/codecs/codec.js'
import { identityOf } from '../../../verifying/verify/large.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import { decodeToJson } from '../../../verifying/verify/readable.js'
import { ENTRY_BYTES } from './text.js'

export interface Leaf {
  /** First {@link ENTRY_BYTES} bytes of the leaf hash in hexadecimal, as in the list of a checkpoint. */
  readonly key: string
  readonly size: number
}

const BATCH = 'alvarium.AnnotationBatch/1\n'
/**
 * Offset in bytes of the number of bundles in the signed bytes of a batch. Three fields precede it: the
 * prefix, the length of the signer's key id (4 bytes), and that key id (32 bytes). See FORMAT.md, batch/1.
 */
const COUNT_AT = BATCH.length + 4 + 32
/**
 * Bytes that the SDK writes after the action of a single bundle. They prove that a message is a single bundle,
 * because readers refuse an object with a second `messageType`.
 */
export const SINGLE = new TextEncoder().encode('","messageType":"alvarium.AnnotationBundle/1",')
const ACTION_AT = '{"action":"'.length

export function leafOf(message: Uint8Array, bundle: VerifiedBundle, codec: Codec | undefined): Leaf {
  // The leaf hash of a single bundle is the id of the bundle, so nothing is hashed.
  if (isSpelledSingle(message, bundle.action)) return singleLeaf(bundle.id)
  return leafOfIdentity(identityOf(bundle, () => decodeToJson(message, codec)))
}

/**
 * Returns whether a verified message begins like a single bundle that the SDK has serialized. Other software may
 * serialize a single bundle differently.
 */
export function isSpelledSingle(message: Uint8Array, { length }: Action): boolean {
  return SINGLE.every((byte, at) => message[ACTION_AT + length + at] === byte)
}

export function singleLeaf(id: string): Leaf {
  return { key: id.slice(0, 2 * ENTRY_BYTES), size: 1 }
}

export function leafOfIdentity(identity: Uint8Array): Leaf {
  return { key: toHex(leafHash(identity).subarray(0, ENTRY_BYTES)), size: sizeOf(identity) }
}

function sizeOf(identity: Uint8Array): number {
  const isBatch = new TextDecoder().decode(identity.subarray(0, BATCH.length)) === BATCH
  return isBatch ? new DataView(identity.buffer, identity.byteOffset).getUint32(COUNT_AT) : 1
}
