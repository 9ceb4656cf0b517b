import type { Bundle } from './bundle.js'
import { withCore } from './core/core.js'
import { AlvariumError, assertBytes } from './errors.js'
import { hashInput, LONGEST_UNHASHED } from './hashing.js'
import { Keyring, type VerifyingKeyInput } from './keys.js'

/** A bundle whose signature has been checked. */
export interface VerifiedBundle extends Bundle {
  /**
   * Whether the bundle was also checked to speak about a payload that was given. With hash `md5` somebody else's
   * payload can have the same key: look at `hash` where that matters.
   */
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
  assertShort(message)
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

/** FORMAT.md, Limits; checked before a message is copied into the core, whose memory never shrinks. */
const LONGEST_MESSAGE = 2 * 1024 * 1024

function assertShort({ length }: Uint8Array): void {
  if (length <= LONGEST_MESSAGE) return
  const text = `message: expected at most ${LONGEST_MESSAGE} bytes, got ${length}`
  throw new AlvariumError('MESSAGE_MALFORMED', text)
}

function checkPayload({ hash, key }: Bundle, payload: Uint8Array): void {
  if (hash === 'none' && payload.length > LONGEST_UNHASHED) {
    const text = `payload: expected the one that is the key itself, got another of ${payload.length} bytes`
    throw new AlvariumError('PAYLOAD_MISMATCH', text)
  }
  const { bytes, isDigest } = hashInput(payload, hash, 'auto')
  withCore((core) => core.checkPayload(hash, key, bytes, isDigest))
}
