import { AlvariumError, type ErrorCode, textOf } from '../base/errors.js'
import * as glue from './generated/core.js'
import { coreModule } from './module.js'

/** The functions and classes of the Rust core. This file is the only one that imports them. */
export type Core = typeof glue
export {
  type Draft,
  Field,
  Flag,
  type Sealer,
  type SigningKey,
  type Verifier,
  type VerifyingKey,
} from './generated/core.js'

let loaded = false
/** Counts the instances: what belongs to an earlier one is lost. */
let generation = 0

/**
 * Runs `use` on the core, which is instantiated on first use, synchronously: nothing happens at import, and
 * a failed load is tried again. Errors of the core come out as `AlvariumError`.
 *
 * @throws AlvariumError with the core's own code; `CORE_UNAVAILABLE` when there is no module, or WebAssembly may not
 * run here; `CORE_FAILED` when the core trapped, after it has been replaced by a fresh one
 */
export function withCore<T>(use: (core: Core) => T): T {
  if (!loaded) load()
  try {
    return use(glue)
  } catch (error) {
    throw translate(error)
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

function load(): void {
  try {
    glue.initSync({ module: coreModule() })
    loaded = true
  } catch (error) {
    if (error instanceof AlvariumError) throw error
    const reason = `core: expected WebAssembly to run it, got: ${textOf(error)}`
    throw new AlvariumError(
      'CORE_UNAVAILABLE',
      `${reason} (a Content-Security-Policy needs 'wasm-unsafe-eval')`,
      { cause: error },
    )
  }
}

function translate(error: unknown): unknown {
  if (error instanceof AlvariumError) return error
  if (error instanceof glue.CoreError) {
    const { code, message } = error
    error.free()
    return new AlvariumError(code as ErrorCode, message)
  }
  return replace(error)
}

/**
 * Whatever else comes out of a call ended it half-way: a trap, an exhausted stack (which no engine reports as
 * a trap), or the generated code's complaint about the state that such an end has left. From then on the
 * instance's memory can be in any state, so nothing of it is used again.
 */
function replace(cause: unknown): AlvariumError {
  generation++
  glue.__wbg_reset_state()
  return failed(cause)
}

function failed(cause: unknown): AlvariumError {
  const text = `core: expected to go on, got a trap (${textOf(cause)}); it has been replaced, open a new SDK`
  return new AlvariumError('CORE_FAILED', text, { cause })
}
