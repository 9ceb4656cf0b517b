import { AlvariumError, asSignedBy } from '../base/errors.js'
import { Longest, withCore } from '../core/core.js'
import { hashInput } from '../core/hashing.js'
import type { Bundle } from '../model/bundle.js'

/** @internal Asserts that a bundle is about a payload. Throws `PAYLOAD_MISMATCH`. */
export function checkPayload({ hash, key, signer }: Bundle, payload: Uint8Array): void {
  if (hash === 'none' && payload.length > Longest.Unhashed) {
    const text = `payload: expected the one that is the payload key itself (hash none), got another of ${payload.length} bytes`
    throw new AlvariumError('PAYLOAD_MISMATCH', text, { signer })
  }
  const { bytes, isDigest } = hashInput(payload, hash, 'auto')
  asSignedBy(signer, () => withCore((core) => core.checkPayload(hash, key, bytes, isDigest)))
}
