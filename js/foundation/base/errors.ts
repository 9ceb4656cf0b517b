import { isInstance } from './brand.js'
import { publicCause, publicText } from './public-text.js'
import { quote } from './text/text.js'

/**
 * Stable word for the kind of an error, to use in conditions. Texts may change between versions, codes do not.
 *
 * | code | means |
 * |---|---|
 * | `CONFIG_INVALID` | an option has a value that cannot work |
 * | `KEY_INVALID` | a private or public key could not be read, one was passed in place of the other, or the two do not belong together |
 * | `PAYLOAD_INVALID` | the payload cannot be annotated: with hash `none` it is not UTF-8 or too large, or its buffer was transferred or resized during the call. Or a source cannot be read to its end, was read before, or changed. Or a file does not show where a record ends, or has too many or too long ones |
 * | `BODY_TOO_LARGE` | the body of an HTTP request has more bytes than the limit of `receive` |
 * | `SIGNER_FAILED` | your own `Signer` threw, took too long, or returned an invalid signature; or a lease has ended and could not be renewed |
 * | `CODEC_FAILED` | your own `Codec` threw, did not return bytes, or took too long |
 * | `ANNOTATOR_FAILED` | an annotator threw, took too long, or did not answer true or false; only logged and in events |
 * | `FILE_UNREADABLE` | a file or folder that a command was given is not there, cannot be read, or is of another kind; only in reports of `alvarium` |
 * | `PACK_UNREADABLE` | the file is not a ZIP file, or not the ZIP file that an evidence pack was: another program, such as a mail program, has rewritten it |
 * | `MESSAGE_MALFORMED` | the bytes are not a message of a known type, or break its limits |
 * | `SIGNER_UNKNOWN` | the keyring has no public key with the message's key id; or none that verifies any annotation of a message of another SDK |
 * | `SIGNER_NOT_ALLOWED` | the signer is trusted, but the trust policy does not permit this statement |
 * | `SIGNER_EXPIRED` | the message was signed or received outside the time that the trust policy allows its signer |
 * | `SIGNER_REVOKED` | the trust policy says that the signer, its public key or its lease was revoked, and the message is not known to have been received before |
 * | `SIGNATURE_INVALID` | the signature does not belong to these contents |
 * | `PROOF_INVALID` | a proof, an update or a list does not match its set or log; or the statement to prove is false |
 * | `PAYLOAD_MISMATCH` | the message is genuine, but not about the payload to verify |
 * | `STREAM_UNREACHABLE` | the broker could not be reached, or rejected the connection |
 * | `STREAM_REFUSED` | the broker rejected this message or this subscription for good, or grants less than requested |
 * | `STREAM_UNAVAILABLE` | the broker accepts no messages now, or no subscription (busy, over a quota, not authorized): retry later |
 * | `STREAM_SUSPECT` | the broker disconnected each time this message was sent alone, and accepted other messages in between |
 * | `WITNESSES_MISSING` | fewer witnesses than the quorum have signed the checkpoint of a proof |
 * | `STREAM_FAILED` | your own stream threw in `publish` or `close`, gave a wrong answer in `hasRoom`, or did not deliver an accepted message |
 * | `STREAM_LOST` | the connection broke before it was known whether the message was accepted |
 * | `STREAM_TIMEOUT` | the stream did not accept the message in time, or a stream or codec did not close in time |
 * | `STREAM_CLOSED` | the SDK, the stream, the subscription or the pool is closed |
 * | `STREAM_LOCKED` | another loop already reads the subscription |
 * | `QUEUE_FULL` | more calls or messages wait for the stream, the outbox or the pool than its limits allow, or too many sources are being read |
 * | `STORE_FAILED` | an outbox could not open, read or write its store, or a file stream its file; the store of `dedup`, `onLease` or `onCheckpoint` failed; or the database of `alvarium-sdk/store` failed |
 * | `STORE_LOCKED` | another process, page or worker has that outbox or store open, or another stream has that file open |
 * | `STORE_DAMAGED` | a stored message can no longer be read: it was altered on the disk, or is gone |
 * | `CORE_FAILED` | the WebAssembly core stopped in a call and was replaced: open a new SDK. Or a worker of a pool died, or none starts |
 * | `CORE_UNAVAILABLE` | the runtime does not run WebAssembly or workers, or lacks an algorithm or random numbers; or ECDSA and SM2 are not loaded; or a bundle built without the core did not receive one |
 */
export type ErrorCode =
  | 'CONFIG_INVALID'
  | 'KEY_INVALID'
  | 'PAYLOAD_INVALID'
  | 'BODY_TOO_LARGE'
  | 'SIGNER_FAILED'
  | 'CODEC_FAILED'
  | 'ANNOTATOR_FAILED'
  | 'FILE_UNREADABLE'
  | 'PACK_UNREADABLE'
  | 'MESSAGE_MALFORMED'
  | 'SIGNER_UNKNOWN'
  | 'SIGNER_NOT_ALLOWED'
  | 'SIGNER_EXPIRED'
  | 'SIGNER_REVOKED'
  | 'SIGNATURE_INVALID'
  | 'PROOF_INVALID'
  | 'WITNESSES_MISSING'
  | 'PAYLOAD_MISMATCH'
  | 'STREAM_UNREACHABLE'
  | 'STREAM_REFUSED'
  | 'STREAM_UNAVAILABLE'
  | 'STREAM_SUSPECT'
  | 'STREAM_FAILED'
  | 'STREAM_LOST'
  | 'STREAM_TIMEOUT'
  | 'STREAM_CLOSED'
  | 'STREAM_LOCKED'
  | 'QUEUE_FULL'
  | 'STORE_FAILED'
  | 'STORE_LOCKED'
  | 'STORE_DAMAGED'
  | 'CORE_FAILED'
  | 'CORE_UNAVAILABLE'

const BRAND = Symbol.for('alvarium-sdk.AlvariumError')

/** Options of the constructor of {@link AlvariumError}: the cause, and the key id of the signer. */
export interface AlvariumErrorOptions extends ErrorOptions {
  readonly signer?: string | undefined
}

/**
 * The error class of this package. The message names the field, the expected value and the received value. `cause` is
 * the underlying error, if there is one.
 *
 * Arguments of the wrong JavaScript type throw a plain `TypeError` instead, because they are a bug in the calling code:
 * for example a string in place of bytes, or bytes with a transferred buffer.
 *
 * `instanceof` recognizes the errors of every copy of this package that a process loads.
 *
 * @example
 * ```ts
 * try {
 *   await verifyMessage(message, { keyring })
 * } catch (error) {
 *   if (error instanceof AlvariumError && error.code === 'SIGNER_UNKNOWN') askForKey()
 *   else throw error
 * }
 * ```
 */
export class AlvariumError extends Error {
  override readonly name = 'AlvariumError'
  readonly code: ErrorCode
  /**
   * Key id of the signer, as the message states it; absent if the key id was not read. With `SIGNER_UNKNOWN` and
   * `SIGNATURE_INVALID`, nothing proves that this signer wrote the message: anyone can write any key id.
   */
  declare readonly signer?: string

  constructor(code: ErrorCode, message: string, options: AlvariumErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: publicCause(options.cause) } : undefined)
    this.code = code
    if (options.signer !== undefined) this.signer = options.signer
  }

  /** @internal */
  get [BRAND](): true {
    return true
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: subclasses inherit this method
    return isInstance(value, this, AlvariumError, BRAND)
  }
}

/** Codes of errors about the capacity or lifetime of the SDK or pool, not about the message. */
const OUR_CODES = ['QUEUE_FULL', 'STREAM_CLOSED']

/** Returns whether an error is about the message, and not about a failure of the SDK. */
export function isVerdict(error: unknown): error is AlvariumError {
  return error instanceof AlvariumError && !error.code.startsWith('CORE_') && !OUR_CODES.includes(error.code)
}

/** Returns an error that is about the message. Throws any other error. */
export function verdictIn(error: unknown): AlvariumError {
  if (isVerdict(error)) return error
  throw error
}

/** Returns the result of `read`; undefined if it throws an error about the message. */
export function readIfValid<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    verdictIn(error)
    return undefined
  }
}

/** Maximum length of an annotator's error text, in characters. The text may quote names of any length from files. */
export const MAX_FAULT_LENGTH = 1000

/** Returns the text of a thrown value without possible secrets. Describes a value that has no text. */
export function textOf(thrown: unknown): string {
  try {
    return isError(thrown) ? publicText(thrown) : String(thrown)
  } catch {
    return describe(thrown)
  }
}

export function codeOf(thrown: unknown): unknown {
  return Reflect.get(Object(thrown), 'code')
}

/** Returns whether a value is an error of any realm. In Jest, tests have another `Error` than Node's own modules. */
export function isError(thrown: unknown): thrown is Error {
  return (
    typeof thrown === 'object' && thrown !== null && 'message' in thrown && typeof thrown.message === 'string'
  )
}

/**
 * Creates an error with the text `field: expected this, got that`. `expectation` and `got` name things of one kind.
 *
 * @param got - description of the received value. Default: the text of `cause`
 */
export function expected(
  code: ErrorCode,
  field: string,
  expectation: string,
  got?: string,
  cause?: unknown,
): AlvariumError {
  const text = `${field}: expected ${expectation}, ${got === undefined ? `got: ${textOf(cause)}` : `got ${got}`}`
  return new AlvariumError(code, text, cause === undefined ? undefined : { cause })
}

/** Creates the error of something that is missing: `field: needs this`. The code is `CONFIG_INVALID` by default. */
export function needs(field: string, requirement: string, code: ErrorCode = 'CONFIG_INVALID'): AlvariumError {
  return new AlvariumError(code, `${field}: needs ${requirement}`)
}

/** Creates the error `CONFIG_INVALID` of an option that another one excludes. */
export function conflicts(field: string, other: string): AlvariumError {
  return new AlvariumError('CONFIG_INVALID', `${field}: cannot be combined with ${other}`)
}

/** Sets `error.signer` to the key id of the message's signer, and returns the error. */
export function ofSigner(signer: string, error: AlvariumError): AlvariumError {
  return Object.assign(error, { signer })
}

/** Runs a check of a signed message, and adds the signer's key id to the error that the check throws. */
export function withSigner<T>(signer: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw error instanceof AlvariumError ? ofSigner(signer, error) : error
  }
}

/** Creates the error `MESSAGE_MALFORMED` for a message or a request that cannot be read. */
export function malformed(field: string, what: string, got: string, cause?: unknown): AlvariumError {
  return expected('MESSAGE_MALFORMED', field, what, got, cause)
}

/** Creates the error `STREAM_CLOSED` for an SDK, a stream or a pool that is closed, or not connected yet. */
export function closed(field: string, why: string): AlvariumError {
  return new AlvariumError('STREAM_CLOSED', `${field}: ${why}`)
}

/** Creates an error with the text and cause of an application stream's error. Returns an `AlvariumError` unchanged. */
export function streamError(code: ErrorCode, expected: string, error: unknown): AlvariumError {
  if (error instanceof AlvariumError) return error
  return new AlvariumError(code, `${expected}, got: ${textOf(error)}`, { cause: error })
}

/** Creates an error of an application's method: `stream.close: failed: disk full`. Returns our errors unchanged. */
export function failureOf(code: ErrorCode, method: string, error: unknown): AlvariumError {
  if (error instanceof AlvariumError) return error
  return new AlvariumError(code, `${method}: failed: ${textOf(error)}`, { cause: error })
}

/** Names the type of a value for an error message: `null`, `an Array`, `a Buffer`, `a Promise: await it`. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  const name = typeof value === 'object' ? classOf(value) : typeof value
  if (name === 'Promise') return 'a Promise: await it'
  return `${/^(?!uint)[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`
}

/** Returns a number as text for an error message. Describes any other value by its type, because it may be a secret. */
export function numberOr(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : describe(value)
}

/** Quotes a text for an error message, unless it may be a secret. Describes any other value by its type. */
export function quoteOr(value: unknown): string {
  return typeof value === 'string' ? quote(value) : describe(value)
}

/** Returns the name of a value's class, or `object` if an application's getter throws. */
function classOf(value: object): string {
  try {
    return String(value.constructor?.name ?? 'object')
  } catch {
    return 'object'
  }
}

/**
 * Getter of `Symbol.toStringTag` of typed arrays. No other object can imitate its result. Unlike `instanceof`, it works
 * for all realms: jsdom, `node:vm` and frames have their own `Uint8Array`.
 */
const typedArray = Object.getPrototypeOf(Uint8Array.prototype)
const tagOf = Object.getOwnPropertyDescriptor(typedArray, Symbol.toStringTag)?.get
/** Getter of a typed array's real length. A subclass can define a property `length` with another value. */
const realLength = Object.getOwnPropertyDescriptor(typedArray, 'length')?.get

/** Returns whether a value is a `Uint8Array` of any realm. A `Buffer` is a `Uint8Array`, too. */
export function isBytes(value: unknown): value is Uint8Array {
  return tagOf?.call(value) === 'Uint8Array'
}

/**
 * Asserts that an argument is a `Uint8Array` with readable bytes.
 *
 * @throws TypeError naming the argument when `value` is not a `Uint8Array` (a `Buffer` is one), or when its buffer was
 * transferred or has become too short
 */
export function assertBytes(value: unknown, argument: string): asserts value is Uint8Array {
  const got = describeUnlessBytes(value)
  if (got !== undefined) throw new TypeError(`${argument}: expected a Uint8Array, got ${got}`)
}

/** @internal Describes a value that is not a readable `Uint8Array`. Returns undefined for a readable one. */
export function describeUnlessBytes(value: unknown): string | undefined {
  if (!isBytes(value) || value.length !== realLength?.call(value)) return describe(value)
  return value.length === 0 && isGone(value)
    ? 'a Uint8Array whose buffer was transferred or has shrunk'
    : undefined
}

/** Returns whether an empty view's buffer was transferred or has shrunk. Reading or copying the view then throws. */
function isGone(bytes: Uint8Array): boolean {
  try {
    Uint8Array.prototype.at.call(bytes, 0)
    new Uint8Array(bytes.buffer)
    return false
  } catch {
    return true
  }
}
