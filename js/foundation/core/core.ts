import { AlvariumError, type ErrorCode, textOf } from '../base/errors.js'
import {
  __wbg_reset_state,
  CoreError,
  cborOf,
  checkPayload,
  extractBundle,
  identityOf,
  initSync,
  isTimestamp,
  jsonOf,
  keyOf,
  sha256Many,
  Tree,
  Verifier,
  VerifyingKey,
  wipeStack,
} from './generated/core.js'
import { coreModule, onReplacement } from './module.js'
import { adviceFor, describeRuntime } from './startup-advice.js'

/**
 * Functions and classes of the Rust core that `withCore` passes to its callback. Classes for signing and for hashing in
 * pieces are exported instead, so that a page that only verifies does not load them. No other file imports the
 * generated code.
 */
const core = {
  cborOf,
  checkPayload,
  extractBundle,
  identityOf,
  isTimestamp,
  jsonOf,
  keyOf,
  sha256Many,
  Tree,
  Verifier,
  VerifyingKey,
  wipeStack,
}
export type Core = typeof core
export {
  type Draft,
  Extent,
  Field,
  Flag,
  Hasher,
  Longest as MaxBytes,
  Most as MaxCount,
  Sealer,
  SigningKey,
  type Tree,
  type Verifier,
  type VerifyingKey,
} from './generated/core.js'

let isLoaded = false
/** True if every call since the last start has ended normally, or with an error that the core reported. */
let isSound = false
/** Number of times the core was replaced. Objects of an earlier instance are lost. */
let generation = 0

onReplacement(() => {
  isSound = false
  generation++
})

/**
 * Calls `use` with the core. The first call instantiates the core synchronously, and a call after a failed load tries
 * again. Errors of the core become `AlvariumError`. JavaScript errors for arguments that cannot be passed to
 * WebAssembly are thrown unchanged, because the core never ran.
 *
 * @throws AlvariumError with the core's own code; `CORE_UNAVAILABLE` when there is no module, or WebAssembly may not
 * run here; `CORE_FAILED` when the call stopped half-way, after a new instance has replaced the core
 */
export function withCore<T>(use: (core: Core) => T): T {
  if (!isSound) start()
  try {
    return use(core)
  } catch (error) {
    const wasSound = isSound
    // Clear the flag before `translate`, which can fail when the stack is exhausted.
    isSound = false
    throw translate(error, wasSound)
  }
}

/** An object in the memory of a core instance. If a new instance replaces that instance, the object is lost. */
export class CoreObject<T extends { free(): void }> {
  readonly #object: T
  readonly #generation = generation
  #isReleased = false

  constructor(object: T) {
    this.#object = object
  }

  /** True if the core has been replaced since this object was created. */
  get isLost(): boolean {
    return this.#generation !== generation
  }

  /**
   * The object in the core.
   *
   * @throws AlvariumError `CORE_FAILED` when the object is lost or released, because its use would crash the core
   */
  get object(): T {
    if (this.isLost) throw coreFailure('an earlier trap')
    if (this.#isReleased) throw coreFailure('an object that was released')
    return this.#object
  }

  /** Frees the object's memory. Does nothing for a lost object, because other data may now be at its address. */
  release(): void {
    if (this.isLost || this.#isReleased) return
    this.#isReleased = true
    withCore(() => this.#object.free())
  }
}

/** Creates an object of the core, which the caller must release. Throws the errors of `withCore`. */
export function hold<T extends { free(): void }>(make: (core: Core) => T): CoreObject<T> {
  return new CoreObject(withCore(make))
}

/** Creates an object of the core, calls `use` with it, and releases it. Throws the errors of `withCore`. */
export function borrow<T extends { free(): void }, R>(make: (core: Core) => T, use: (object: T) => R): R {
  const handle = hold(make)
  try {
    return withCore(() => use(handle.object))
  } finally {
    handle.release()
  }
}

function start(): void {
  if (!isLoaded) load()
  else replace()
  if (!isSound) throw coreFailure('its replacement failed')
}

function load(): void {
  try {
    initSync({ module: coreModule() })
    isLoaded = true
    isSound = true
  } catch (error) {
    if (error instanceof AlvariumError) throw error
    const reason = `core: expected a runtime that runs WebAssembly, got: ${textOf(error)}`
    throw new AlvariumError('CORE_UNAVAILABLE', `${reason} (${adviceFor(describeRuntime())})`, {
      cause: error,
    })
  }
}

function translate(error: unknown, wasSound: boolean): unknown {
  if (error instanceof CoreError) {
    const { code, message, signer } = error
    error.free()
    isSound = wasSound
    return new AlvariumError(code as ErrorCode, message, { signer })
  }
  if (isHalfway(error)) {
    replace()
    return coreFailure(error)
  }
  isSound = wasSound
  return error
}

/**
 * Names of errors that end a call half-way: a trap, and an exhausted stack (a RangeError; in Firefox, an
 * InternalError). Errors are compared by name, because each realm has its own classes.
 */
const HALFWAY = new Set(['RuntimeError', 'RangeError', 'InternalError'])
/** Pattern of the core's errors about an object or memory that an earlier call left in a bad state. */
const BAD_STATE_ERRORS =
  /^(recursive use of an object|attempted to take ownership of Rust value|null pointer passed to rust|array contains a value of)/

/**
 * Returns whether an error ended a call half-way in the core. A TypeError never does: none of our JavaScript
 * runs during a call, so the generated code threw the error before the call. The generated code frees the
 * arguments that it has passed.
 */
function isHalfway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || error instanceof AlvariumError) return false
  const { name, message } = error as Partial<Error>
  return HALFWAY.has(String(name)) || BAD_STATE_ERRORS.test(String(message))
}

/**
 * Starts a new instance and wipes the memory of the old one, which may hold keys. After a trap, that memory can be in
 * any state. If the start fails, for example because the stack is exhausted, the next call retries.
 */
function replace(): void {
  generation++
  try {
    new Uint8Array(initSync({ module: coreModule() }).memory.buffer).fill(0)
    __wbg_reset_state()
    isSound = true
  } catch {
    isSound = false
  }
}

function coreFailure(cause: unknown): AlvariumError {
  const text = `core: the WebAssembly core crashed (${textOf(cause)}), and starts again at the next call: open a new SDK`
  return new AlvariumError('CORE_FAILED', text, { cause })
}
