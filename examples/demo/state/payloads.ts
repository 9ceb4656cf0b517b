/**
 * The payloads of the visitor's own calls, by their key, so that panels can show them and verify with them
 * (`verifier.call('verify', { message, payload })`). The newest hundred, if they are not large; the sensor's are not kept.
 */
import { signal } from '@preact/signals'

const MOST = 100
const MOST_BYTES = 64 * 1024 * 1024

const payloads = new Map<string, Uint8Array<ArrayBuffer>>()

/** Key of the payload that was remembered last. */
export const newestKey = signal('')

export function rememberPayload(key: string, payload: Uint8Array<ArrayBuffer>): void {
  payloads.delete(key)
  payloads.set(key, payload)
  let bytes = 0
  for (const { length } of payloads.values()) bytes += length
  for (const [oldest, { length }] of payloads) {
    if (payloads.size <= MOST && bytes <= MOST_BYTES) break
    payloads.delete(oldest)
    bytes -= length
  }
  newestKey.value = key
}

/** The payload with this key (`bundle.key`, `bundle.previousKey`); do not change or transfer it, it is shared. */
export function payloadOf(key: string): Uint8Array<ArrayBuffer> | undefined {
  return payloads.get(key)
}
