import { AlvariumError, type ErrorCode, expected, textOf } from '../base/errors.js'
import { adviceFor, runtime } from './advice.js'
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
import { coreModule, onReplaced } from './module.js'

/**
 * What `withCore` hands out of the Rust core. What seals, signs or hashes in pieces is not in it: who does that imports the class, and a page
 * that only verifies has none of them. This file is the only one that imports what is generated.
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
  Longest,
  Most,
  Sealer,
  SigningKey,
  type Tree,
  type Verifier,
  type VerifyingKey,
} from './generated/core.js'

let loaded = false
/** Whether every call so far has ended, one way or another. */
let isSound = false
/** Counts the instances: what belongs to an earlier one is lost. */
let generation = 0

onReplaced(() => {
  isSound = false
  generation++
})

/**
 * Runs `use` on the core, which is instantiated on first use, synchronously: nothing happens at import, and
 * a failed load is tried again. Errors of the core come out as `AlvariumError`, and what JavaScript throws on the way
 * there, for an argument that cannot be passed, as it is: the core has not seen it.
 *
 * @throws AlvariumError with the core's own code; `CORE_UNAVAILABLE` when there is no module, or WebAssembly may not
 * run here; `CORE_FAILED` when the call ended half-way, after the core has been replaced by a fresh one
 */
export function withCore<T>(use: (core: Core) => T): T {
  if (!isSound) start()
  try {
    return use(core)
  } catch (error) {
    const wasSound = isSound
    // Said before anything is called: at the end of the stack nothing can be.
    isSound = false
    throw translate(error, wasSound)
  }
}

/** An object of the core. It ends with its instance: after a trap it can neither be used nor be freed. */
export class Held<T extends { free(): void }> {
  readonly #object: T
  readonly #generation = generation
  #isReleased = false

  constructor(object: T) {
    this.#object = object
  }

  /** Whether the core has been replaced since. */
  get isLost(): boolean {
    return this.#generation !== generation
  }

  /** @throws AlvariumError `CORE_FAILED` when the object is lost or released: using it would bring the core down */
  get object(): T {
    if (this.isLost) throw failed('an earlier trap')
    if (this.#isReleased) throw failed('an object that was released')
    return this.#object
  }

  /** Gives the memory back. A lost object has none: its address now belongs to something else. */
  release(): void {
    if (this.isLost || this.#isReleased) return
    this.#isReleased = true
    withCore(() => this.#object.free())
  }
}

/** Makes an object of the core, to be released by the caller. Throws as `withCore` does. */
export function hold<T extends { free(): void }>(make: (core: Core) => T): Held<T> {
  return new Held(withCore(make))
}

/** Makes an object of the core for just one use. Throws as `withCore` does. */
export function borrow<T extends { free(): void }, R>(make: (core: Core) => T, use: (object: T) => R): R {
  const held = hold(make)
  try {
    return withCore(() => use(held.object))
  } finally {
    held.release()
  }
}

function start(): void {
  if (!loaded) load()
  else replace()
  if (!isSound) throw failed('one that could not be replaced')
}

function load(): void {
  try {
    initSync({ module: coreModule() })
    loaded = true
    isSound = true
  } catch (error) {
    if (error instanceof AlvariumError) throw error
    const reason = `core: expected WebAssembly to run it, got: ${textOf(error)}`
    throw new AlvariumError('CORE_UNAVAILABLE', `${reason} (${adviceFor(runtime())})`, { cause: error })
  }
}

function translate(error: unknown, wasSound: boolean): unknown {
  if (error instanceof CoreError) {
    const { code, message, signer } = error
    error.free()
    isSound = wasSound
    return new AlvariumError(code as ErrorCode, message, { signer })
  }
  if (endedHalfway(error)) {
    replace()
    return failed(error)
  }
  isSound = wasSound
  return error
}

/** A trap; an exhausted stack, which is a RangeError or, in Firefox, an InternalError. By name: realms have their own. */
const HALFWAY = new Set(['RuntimeError', 'RangeError', 'InternalError'])
/** What the core says, through the generated code, of the state that an earlier call has left. */
const LEFT_BEHIND =
  /^(recursive use of an object|attempted to take ownership of Rust value|null pointer passed to rust|array contains a value of)/

/**
 * Whether a call ended in the core. Nothing of ours runs while the core does, so a TypeError was thrown before it
 * began, by the generated code that passes the arguments: it frees those that it has passed.
 */
function endedHalfway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || error instanceof AlvariumError) return false
  const { name, message } = error as Partial<Error>
  return HALFWAY.has(String(name)) || LEFT_BEHIND.test(String(message))
}

/**
 * The instance's memory can be in any state, so nothing of it is used again, nor are its keys left in it. Where not even
 * that can be done, at the end of the stack for example, the next call tries again.
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

function failed(cause: unknown): AlvariumError {
  const got = `a trap (${textOf(cause)}); it has been replaced, open a new SDK`
  return expected('CORE_FAILED', 'core', 'to go on', got, cause)
}
