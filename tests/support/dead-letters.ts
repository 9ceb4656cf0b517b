import { utf8 } from './bytes.js'

/** Returns a dead letter as FORMAT.md has it. */
export function letterOf(
  message: Uint8Array,
  { code = 'SIGNER_UNKNOWN', receivedAt = Date.now() } = {},
): Uint8Array {
  const content = {
    code,
    reason: 'it did not verify',
    topic: 't',
    receivedAt: new Date(receivedAt).toISOString(),
    size: message.length,
    message: btoa(Array.from(message, (byte) => String.fromCharCode(byte)).join('')),
  }
  return utf8(JSON.stringify({ messageType: 'alvarium.DeadLetter/1', content }))
}
