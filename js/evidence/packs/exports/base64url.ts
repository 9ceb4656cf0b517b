import { fromBase64, toBase64 } from '../../../foundation/base/bytes/base64.js'

/** Encodes bytes as base64url without padding (RFC 7515 §2). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Decodes base64url without padding; undefined if the text is not in its one canonical spelling. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (/[^\w-]/.test(text)) return undefined
  const padding = '='.repeat((4 - (text.length % 4)) % 4)
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding)
}
