import type { Bundle } from './bundle.js'
import { decoded, encoded } from './codecs/checked.js'
import type { Codec } from './codecs/codec.js'
import { json } from './codecs/json.js'
import { withCore } from './core/core.js'
import { AlvariumError, assertBytes } from './errors.js'
import { hashInput, LONGEST_UNHASHED } from './hashing.js'
import { groupsOf } from './join.js'
import { type Keyring, keyringOf, type VerifyingKeyInput } from './keys.js'
import type { WorkerPool } from './pool/pool.js'
import { bundlesOf, verifyMany } from './verify-many.js'

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
  /** How messages are written; the SDK's own. Default JSON. */
  readonly codec?: Codec | undefined
  /** The payload that the message should be about. Without it only the signature is checked. */
  readonly payload?: Uint8Array | undefined
  /** Verifies in the pool's workers, with all cores. See `alvarium-sdk/pool`. */
  readonly pool?: WorkerPool | undefined
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
  { keyring, payload, codec, pool }: VerifyOptions,
): Promise<VerifiedBundle> {
  if (payload !== undefined) assertBytes(payload, 'payload')
  const text = readable(message, codec)
  const bundles = pool ? pool.verify(keyringOf(keyring), text, payload) : verifyAll(text, keyring)
  const [bundle, ...others] = 'then' in bundles ? await bundles : bundles
  if (bundle === undefined || others.length > 0) {
    const text = `message: expected one bundle, got a batch of ${others.length + 1}: use verifyBatch or extractBundle`
    throw new AlvariumError('MESSAGE_MALFORMED', text)
  }
  if (payload !== undefined && !pool) checkPayload(bundle, payload)
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
  { keyring, codec, pool }: Omit<VerifyOptions, 'payload'>,
): Promise<VerifiedBundle[]> {
  const text = readable(message, codec)
  const bundles = pool ? await pool.verify(keyringOf(keyring), text) : verifyAll(text, keyring)
  return bundles.map(unchecked)
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
  { keyring, codec, pool }: Omit<VerifyOptions, 'payload'>,
): Promise<Verification[]> {
  for (const [at, message] of messages.entries()) assertBytes(message, `messages[${at}]`)
  const texts = messages.map((message) => readableOf(message, codec))
  const readable = texts.filter((text) => text instanceof Uint8Array)
  const verified = pool
    ? await verifyPooled(readable, keyringOf(keyring), pool)
    : withTrusted(keyring, (trusted) => verifyTogether(readable, trusted))
  const next = verified.values()
  return texts.map((text) =>
    text instanceof AlvariumError ? rejected(text) : (next.next().value as Verification),
  )
}

/** A JSON message, or why there is none. */
type Readable = Uint8Array | AlvariumError

function verifyTogether(texts: readonly Uint8Array[], keyring: Keyring): Verification[] {
  return groupsOf(texts, TOGETHER)
    .flatMap((group) => bundlesOf(verifyMany(keyring, group)))
    .map((outcome) =>
      outcome instanceof AlvariumError
        ? rejected(outcome)
        : { status: 'fulfilled', value: outcome.map(unchecked) },
    )
}

/** Some at a time: enough to keep any number of workers busy, few enough to fit the pool's queue. */
async function verifyPooled(
  texts: readonly Uint8Array[],
  keyring: Keyring,
  pool: WorkerPool,
): Promise<Verification[]> {
  const { maxQueuedCalls, maxQueuedBytes } = pool.limits
  const most = { count: Math.min(MOST_POOLED, maxQueuedCalls), bytes: maxQueuedBytes }
  const verified: Verification[] = []
  for (const group of groupsOf(texts, most)) {
    const some = group.map(async (text) => (await pool.verify(keyring, text)).map(unchecked))
    verified.push(...(await Promise.allSettled(some)))
  }
  return verified
}

function rejected(reason: AlvariumError): PromiseRejectedResult {
  return { status: 'rejected', reason }
}

const MOST_POOLED = 4096
/** How many signatures are checked together: more gain little, and a bad one costs more. */
const TOGETHER = { count: 64, bytes: 4 * 1024 * 1024 }

function unchecked(bundle: Bundle): VerifiedBundle {
  return { ...bundle, payloadChecked: false }
}

function readableOf(message: Uint8Array, codec: Codec | undefined): Readable {
  try {
    return readable(message, codec)
  } catch (error) {
    if (error instanceof AlvariumError) return error
    throw error
  }
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
export function extractBundle(
  message: Uint8Array,
  index: number,
  { codec = json() }: Pick<VerifyOptions, 'codec'> = {},
): Uint8Array {
  const text = readable(message, codec)
  if (!Number.isInteger(index) || index < 0) throw new RangeError(`index: expected 0 or more, got ${index}`)
  return encoded(
    codec,
    withCore((core) => core.extractBundle(text, index)),
  )
}

/**
 * The bytes that a message's signature is over, rebuilt from what the message says (FORMAT.md, Identity bytes): for
 * looking at them, or for verifying with another implementation of Ed25519. Nothing is verified here. A batch, and a
 * bundle taken out of it, have the same: those of the batch.
 *
 * @throws TypeError when `message` is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED`, and `SIGNATURE_INVALID` for a bundle out of a batch whose proof leads nowhere
 *
 * @example
 * ```ts
 * const { signature } = JSON.parse(new TextDecoder().decode(message)).content
 * verifyBytes(verifyingKey, identityBytes(message), Buffer.from(signature, 'hex')) // true
 * ```
 */
export function identityBytes(message: Uint8Array, { codec }: Pick<VerifyOptions, 'codec'> = {}): Uint8Array {
  const text = readable(message, codec)
  return withCore((core) => core.identityOf(text))
}

function verifyAll(text: Uint8Array, keyring: VerifyOptions['keyring']): Bundle[] {
  return withTrusted(keyring, (trusted) => JSON.parse(trusted.use((verifier) => verifier.verify(text))))
}

/** @internal Runs on the keyring, or on one of these keys that is closed afterwards. */
export function withTrusted<T>(keyring: VerifyOptions['keyring'], use: (trusted: Keyring) => T): T {
  const trusted = keyringOf(keyring)
  try {
    return use(trusted)
  } finally {
    if (trusted !== keyring) trusted.close()
  }
}

/** FORMAT.md, Limits; checked before a message is copied into the core, whose memory never shrinks. */
const LONGEST_MESSAGE = 16 * 1024 * 1024

/** The JSON message, bounded before and after decoding. */
function readable(message: Uint8Array, codec: Codec | undefined): Uint8Array {
  assertBytes(message, 'message')
  assertShort(message)
  const text = decoded(message, codec)
  assertShort(text)
  return text
}

function assertShort({ length }: Uint8Array): void {
  if (length <= LONGEST_MESSAGE) return
  const text = `message: expected at most ${LONGEST_MESSAGE} bytes, got ${length}`
  throw new AlvariumError('MESSAGE_MALFORMED', text)
}

/** @internal Throws `PAYLOAD_MISMATCH`. */
export function checkPayload({ hash, key }: Bundle, payload: Uint8Array): void {
  if (hash === 'none' && payload.length > LONGEST_UNHASHED) {
    const text = `payload: expected the one that is the key itself, got another of ${payload.length} bytes`
    throw new AlvariumError('PAYLOAD_MISMATCH', text)
  }
  const { bytes, isDigest } = hashInput(payload, hash, 'auto')
  withCore((core) => core.checkPayload(hash, key, bytes, isDigest))
}
