/**
 * Payloads of the visitor's calls and of the example by payload key, so that panels can show them and verify
 * with them. Keeps the newest hundred, up to 64 MiB, and no payloads of the simulated sensor.
 */
import { signal } from '@preact/signals'
import { payloadNameIn } from '../ui/payload-name.ts'

const MOST = 100
const MOST_BYTES = 64 * 1024 * 1024

const payloads = new Map<string, Uint8Array<ArrayBuffer>>()
/** Names of payloads by payload key. */
const names = new Map<string, string>()

/** Payload key of the payload that was added last. */
export const newestKey = signal('')

/** @param fileName - name for a payload that contains none */
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

/** Returns the payload with this key. Do not change or transfer it, because all callers share it. */
export function payloadOf(key: string): Uint8Array<ArrayBuffer> | undefined {
  return payloads.get(key)
}

/** Returns the name of the payload with this key, if any. Subscribes to new payloads. */
export function payloadNameOf(key: string): string | undefined {
  // Subscribe to new payloads, because messages may be verified before their payload arrives.
  void newestKey.value
  return names.get(key)
}

/** Returns whether the page has the payload with this key. Subscribes to new payloads. */
export function isRemembered(key: string): boolean {
  void newestKey.value
  return payloads.has(key)
}
