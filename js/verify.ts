import type { Bundle } from './bundle.js'
import { withCore } from './core/core.js'
import { assertBytes } from './errors.js'
import { hashInput } from './hashing.js'
import { Keyring, type VerifyingKeyInput } from './keys.js'

/** A bundle whose signature has been checked. */
export interface VerifiedBundle extends Bundle {
  /** Whether the bundle was also checked to speak about a payload that was given. */
  readonly payloadChecked: boolean
}

/** Whom to trust, and about what. */
export interface VerifyOptions {
  /** The keys to trust. Make one {@link Keyring} for many messages: it keeps their points at hand. */
  readonly keyring: Keyring | readonly VerifyingKeyInput[]
  /** The payload that the message should be about. Without it only the signature is checked. */
  readonly payload?: Uint8Array | undefined
}

/**
 * Verifies one message: structure, signer, signature and, where one is given, payload, in this order.
 *
 * @returns the bundle; every field in it was signed
 * @throws TypeError when `message` or `payload` is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, `PAYLOAD_MISMATCH`, and
 * `KEY_INVALID` for a key of the keyring that cannot be read
 *
 * @example
 * ```ts
 * const bundle = await verifyMessage(message, { keyring, payload })
 * const satisfied = bundle.annotations.filter((annotation) => annotation.isSatisfied)
 * ```
 */
export async function verifyMessage(
  message: Uint8Array,
  { keyring, payload }: VerifyOptions,
): Promise<VerifiedBundle> {
  assertBytes(message, 'message')
  if (payload !== undefined) assertBytes(payload, 'payload')
  const trusted = keyring instanceof Keyring ? keyring : new Keyring(keyring)
  try {
    const bundle: Bundle = JSON.parse(trusted.use((handle) => handle.verify(message)))
    if (payload !== undefined) checkPayload(bundle, payload)
    return { ...bundle, payloadChecked: payload !== undefined }
  } finally {
    if (trusted !== keyring) trusted.close()
  }
}

function checkPayload({ hash, key }: Bundle, payload: Uint8Array): void {
  const { bytes, isDigest } = hashInput(payload, hash, 'auto')
  withCore((core) => core.checkPayload(hash, key, bytes, isDigest))
}
