import type { Bundle } from './bundle.js'
import { withCore } from './core/core.js'
import { AlvariumError, assertBytes, type ErrorCode } from './errors.js'
import { hashInput, LONGEST_UNHASHED } from './hashing.js'
import { groupsOf, join } from './join.js'
import { type Keyring, keyringOf, type VerifyingKeyInput } from './keys.js'

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
 * Verifies a message with one bundle: structure, signer, signature and, where one is given, payload, in this order.
 * The bundle may have a signature of its own, or may have been taken out of a batch with {@link extractBundle}.
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
  if (payload !== undefined) assertBytes(payload, 'payload')
  const [bundle, ...others] = verifyAll(message, keyring)
  if (bundle === undefined || others.length > 0) {
    const text = `message: expected one bundle, got a batch of ${others.length + 1}: use verifyBatch or extractBundle`
    throw new AlvariumError('MESSAGE_MALFORMED', text)
  }
  if (payload !== undefined) checkPayload(bundle, payload)
  return { ...bundle, payloadChecked: payload !== undefined }
}

/**
 * Verifies a message with any number of bundles: one, or a batch under one signature.
 *
 * @returns its bundles, in order; every field in them was signed
 * @throws as {@link verifyMessage} does; when anything in a batch was altered, the whole batch is refused
 *
 * @example
 * ```ts
 * for (const { key, annotations } of await verifyBatch(message, { keyring })) record(key, annotations)
 * ```
 */
export async function verifyBatch(
  message: Uint8Array,
  { keyring }: Pick<VerifyOptions, 'keyring'>,
): Promise<VerifiedBundle[]> {
  const bundles = verifyAll(message, keyring)
  return bundles.map((bundle) => ({ ...bundle, payloadChecked: false }))
}

/** What became of one of many messages. */
export type Verification = PromiseSettledResult<VerifiedBundle[]>

/**
 * Verifies many messages at once, in less than half the time that one after the other takes: signatures are checked 64
 * together (only if one of those is bad one by one, to tell which), batches by their roots.
 *
 * @returns for each message, in order: `fulfilled` with its bundles, or `rejected` with the `AlvariumError` that
 * {@link verifyMessage} would throw
 * @throws TypeError when a message is not a `Uint8Array`
 *
 * @example
 * ```ts
 * for (const one of await verifyMessages(messages, { keyring })) {
 *   if (one.status === 'fulfilled') record(one.value)
 *   else console.warn(one.reason.code)
 * }
 * ```
 */
export async function verifyMessages(
  messages: readonly Uint8Array[],
  { keyring }: Pick<VerifyOptions, 'keyring'>,
): Promise<Verification[]> {
  for (const [at, message] of messages.entries()) assertBytes(message, `messages[${at}]`)
  // What is too long is not copied into the core; an empty message stands for it, and its error is replaced.
  const short = messages.map((message) => (message.length > LONGEST_MESSAGE ? new Uint8Array(0) : message))
  const outcomes = withTrusted(keyring, (trusted) =>
    groupsOf(short, TOGETHER).flatMap((group) => {
      const { bytes, lengths } = join(group)
      return JSON.parse(trusted.use((verifier) => verifier.verifyMany(bytes, lengths))) as CoreOutcome[]
    }),
  )
  return outcomes.map((outcome, at) => settled(outcome, messages[at] as Uint8Array))
}

/** How many signatures are checked together: more gain little, and a bad one costs more. */
const TOGETHER = { count: 64, bytes: 4 * 1024 * 1024 }

/** A message's bundles, or why there are none. */
type CoreOutcome = Bundle[] | { readonly code: ErrorCode; readonly message: string }

function settled(outcome: CoreOutcome, { length }: Uint8Array): Verification {
  if (Array.isArray(outcome)) {
    return { status: 'fulfilled', value: outcome.map((bundle) => ({ ...bundle, payloadChecked: false })) }
  }
  const reason = length > LONGEST_MESSAGE ? tooLong(length) : new AlvariumError(outcome.code, outcome.message)
  return { status: 'rejected', reason }
}

/**
 * Takes one bundle out of a batch, as a message of its own: with its inclusion proof (RFC 9162 §2.1.3) it verifies
 * without the others. Nothing is verified here.
 *
 * @param index - the bundle's place in the batch, from 0
 * @throws AlvariumError `MESSAGE_MALFORMED` when the message is no batch, or has no bundle at `index`
 *
 * @example
 * ```ts
 * const { message, index } = await sdk.create(payload) // of an SDK with batches
 * const evidence = extractBundle(message, index)
 * await verifyMessage(evidence, { keyring, payload })
 * ```
 */
export function extractBundle(message: Uint8Array, index: number): Uint8Array {
  assertShort(message)
  if (!Number.isInteger(index) || index < 0) throw new RangeError(`index: expected 0 or more, got ${index}`)
  return withCore((core) => core.extractBundle(message, index))
}

function verifyAll(message: Uint8Array, keyring: VerifyOptions['keyring']): Bundle[] {
  assertShort(message)
  return withTrusted(keyring, (trusted) => JSON.parse(trusted.use((verifier) => verifier.verify(message))))
}

function withTrusted<T>(keyring: VerifyOptions['keyring'], use: (trusted: Keyring) => T): T {
  const trusted = keyringOf(keyring)
  try {
    return use(trusted)
  } finally {
    if (trusted !== keyring) trusted.close()
  }
}

/** FORMAT.md, Limits; checked before a message is copied into the core, whose memory never shrinks. */
const LONGEST_MESSAGE = 16 * 1024 * 1024

function assertShort(message: Uint8Array): void {
  assertBytes(message, 'message')
  if (message.length > LONGEST_MESSAGE) throw tooLong(message.length)
}

function tooLong(length: number): AlvariumError {
  const text = `message: expected at most ${LONGEST_MESSAGE} bytes, got ${length}`
  return new AlvariumError('MESSAGE_MALFORMED', text)
}

function checkPayload({ hash, key }: Bundle, payload: Uint8Array): void {
  if (hash === 'none' && payload.length > LONGEST_UNHASHED) {
    const text = `payload: expected the one that is the key itself, got another of ${payload.length} bytes`
    throw new AlvariumError('PAYLOAD_MISMATCH', text)
  }
  const { bytes, isDigest } = hashInput(payload, hash, 'auto')
  withCore((core) => core.checkPayload(hash, key, bytes, isDigest))
}
