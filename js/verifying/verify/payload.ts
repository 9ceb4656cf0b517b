import { AlvariumError, withSigner } from '../../foundation/base/errors.js'
import { MaxBytes, withCore } from '../../foundation/core/core.js'
import { hashInput } from '../../foundation/core/hashing.js'
import type { Bundle } from '../../foundation/model/bundle.js'

/** @internal Asserts that a bundle is about a payload. @throws AlvariumError `PAYLOAD_MISMATCH` */
export function checkPayload({ hash, key, signer }: Bundle, payload: Uint8Array): void {
  if (hash === 'none' && payload.length > MaxBytes.Unhashed) {
    const text = `payload: does not match the payload key (hash none), got ${payload.length} bytes`
    throw new AlvariumError('PAYLOAD_MISMATCH', text, { signer })
  }
  const { bytes, isDigest } = hashInput(payload, hash, 'auto')
  withSigner(signer, () => withCore((core) => core.checkPayload(hash, key, bytes, isDigest)))
}
