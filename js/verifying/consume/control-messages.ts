import { beginOf, hasTextAt } from '../../foundation/base/text/text.js'

/*
 * Recognizes control messages: leases, checkpoints and sets. Their first bytes identify them, because no
 * bundle begins with these bytes (FORMAT.md, lease/1, Checkpoints and set/1).
 */

/**
 * Returns the filters for control messages of the given topic filters. A filter that ends with `#` needs no
 * other filter, because it also matches the control messages.
 */
export function controlTopics(filters: readonly string[]): string[] {
  return filters.filter((filter) => !filter.endsWith('#')).map((filter) => `${filter}/signers`)
}

export const CHECKPOINT = 'alvarium.Checkpoint/1'
export const CHECKPOINT_START = `{"messageType":"${CHECKPOINT}","content":"`
const MAX_ORIGIN_BYTES = 64
const LEASE_START = '{"messageType":"alvarium.Lease/1"'
const MANIFEST_START = '{"messageType":"alvarium.Manifest/1"'
const SEALED_SET_START = '{"messageType":"alvarium.Set/1"'
/** First characters of sets and manifests, of their proofs and updates, and of proofs of inputs. */
const SET_STARTS = ['Set/1', 'Manifest/1', 'SetProof/1', 'SetUpdate/1', 'InputProof/1'].map(
  (type) => `{"messageType":"alvarium.${type}"`,
)

/**
 * Returns whether a message is a checkpoint. Reads only the first bytes, and verifies nothing.
 *
 * @param message - the received bytes
 *
 * @example
 * ```ts
 * import { isCheckpoint } from 'alvarium-sdk/completeness'
 *
 * const what = isCheckpoint(message) ? 'a checkpoint' : 'a message with bundles'
 * ```
 */
export function isCheckpoint(message: Uint8Array): boolean {
  return hasTextAt(CHECKPOINT_START, message, beginOf(message))
}

/** Returns the key id of a checkpoint's claimed signer, or undefined for other messages. */
export function signerOfCheckpoint(message: Uint8Array): string | undefined {
  if (!isCheckpoint(message)) return undefined
  const begin = beginOf(message) + CHECKPOINT_START.length
  const origin = new TextDecoder().decode(message.subarray(begin, begin + MAX_ORIGIN_BYTES))
  return /^checkpoint\.alvarium\/1\/([\da-f]{32})\//.exec(origin)?.[1]
}

/** Returns whether a message is a lease, by its first bytes. Each valid lease begins with the same bytes. */
export function isLease(message: Uint8Array): boolean {
  return hasTextAt(LEASE_START, message, 0)
}

export function isSealedSet(message: Uint8Array): boolean {
  return hasTextAt(SEALED_SET_START, message, 0)
}

/** Returns whether a message is a manifest, by its first bytes. Each valid manifest begins with the same bytes. */
export function isManifestMessage(message: Uint8Array): boolean {
  return hasTextAt(MANIFEST_START, message, 0)
}

/**
 * Returns whether a message is a set or manifest, a proof or update of a set or manifest, or a proof of an input.
 * Reads only the first bytes, and verifies nothing.
 *
 * @param message - the received bytes
 *
 * @example
 * ```ts
 * import { isSet } from 'alvarium-sdk/sets'
 *
 * const what = isSet(message) ? 'about a set' : 'a message with bundles'
 * ```
 */
export function isSet(message: Uint8Array): boolean {
  return SET_STARTS.some((start) => hasTextAt(start, message, 0))
}
