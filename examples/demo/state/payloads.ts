/**
 * The payloads of the visitor's own calls, by their key, so that panels can show them and verify with them
 * (`verifier.call('verify', { message, payload })`). The newest hundred; the sensor's are not kept.
 */
const MOST = 100

const payloads = new Map<string, Uint8Array<ArrayBuffer>>()

export function rememberPayload(key: string, payload: Uint8Array<ArrayBuffer>): void {
  payloads.delete(key)
  payloads.set(key, payload)
  if (payloads.size <= MOST) return
  for (const oldest of payloads.keys()) {
    payloads.delete(oldest)
    return
  }
}

/** The payload with this key (`bundle.key`, `bundle.previousKey`); do not change or transfer it, it is shared. */
export function payloadOf(key: string): Uint8Array<ArrayBuffer> | undefined {
  return payloads.get(key)
}
