/**
 * Payloads of the visitor's own calls by key, so that panels can show them and verify with them
 * (`verifier.call('verify', { message, payload })`). Keeps the newest hundred, if they are not large, and none of the
 * sensor's.
 */
import { signal } from '@preact/signals'
import { payloadNameIn } from '../ui/payload-name.ts'

const MOST = 100
const MOST_BYTES = 64 * 1024 * 1024

const payloads = new Map<string, Uint8Array<ArrayBuffer>>()
/** Names of payloads for people, by key. */
const names = new Map<string, string>()

/** Key of the last remembered payload. */
export const newestKey = signal('')

/** @param fileName - for a payload without a name in it */
export function rememberPayload(key: string, payload: Uint8Array<ArrayBuffer>, fileName?: string): void {
  const name = payloadNameIn(payload) ?? fileName
  if (name !== undefined) names.set(key, name)
  payloads.delete(key)
  payloads.set(key, payload)
  let bytes = 0
  for (const { length } of payloads.values()) bytes += length
  for (const [oldest, { length }] of payloads) {
    if (payloads.size <= MOST && bytes <= MOST_BYTES) break
    payloads.delete(oldest)
    names.delete(oldest)
    bytes -= length
  }
  newestKey.value = key
}

/**
 * Returns the payload with this key (`bundle.key`, `bundle.previousKey`). It is shared: do not change or transfer it.
 */
export function payloadOf(key: string): Uint8Array<ArrayBuffer> | undefined {
  return payloads.get(key)
}

/**
 * Returns the name of the payload with this key; undefined if it is unknown or has none. Updates when it becomes known.
 */
export function payloadNameOf(key: string): string | undefined {
  // Depend on new payloads: verified messages may arrive before them.
  void newestKey.value
  return names.get(key)
}

/** Returns whether the page has the payload with this key. Updates when it arrives. */
export function isRemembered(key: string): boolean {
  void newestKey.value
  return payloads.has(key)
}
