/**
 * The payloads of the visitor's own calls, by their key, so that panels can show them and verify with them
 * (`verifier.call('verify', { message, payload })`). The newest hundred, if they are not large; the sensor's are not kept.
 */
import { signal } from '@preact/signals'
import { payloadNameIn } from '../ui/payload-name.ts'

const MOST = 100
const MOST_BYTES = 64 * 1024 * 1024

const payloads = new Map<string, Uint8Array<ArrayBuffer>>()
/** Names by which people know them, by their keys. */
const names = new Map<string, string>()

/** Key of the payload that was remembered last. */
export const newestKey = signal('')

/** @param fileName - for a payload that does not say what it is about */
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

/** The payload with this key (`bundle.key`, `bundle.previousKey`); do not change or transfer it, it is shared. */
export function payloadOf(key: string): Uint8Array<ArrayBuffer> | undefined {
  return payloads.get(key)
}

/** Returns the name of the payload with this key, once it is known; undefined for one that is not, or says nothing. */
export function payloadNameOf(key: string): string | undefined {
  // Verified messages may be here before the payload.
  void newestKey.value
  return names.get(key)
}

/** Returns whether the page has the payload with this key, also once it comes. */
export function isRemembered(key: string): boolean {
  void newestKey.value
  return payloads.has(key)
}
