import { AlvariumError, type ErrorCode, textOf } from '../errors.js'
import * as glue from './generated/core.js'
import { base64 } from './generated/inline.js'

/** The functions and classes of the Rust core. This file is the only one that imports them. */
export type Core = typeof glue
export type { Draft, Keyring as KeyringHandle, Sealer, SigningKey, VerifyingKey } from './generated/core.js'

let loaded = false

/**
 * Runs `use` on the core, which is instantiated on first use, synchronously: nothing happens at import, and
 * a failed load is tried again. Errors of the core come out as `AlvariumError`.
 *
 * @throws AlvariumError with the core's own code; `CORE_UNAVAILABLE` when WebAssembly may not run here;
 * `CORE_FAILED` when the core trapped, after it has been replaced by a fresh one
 */
export function withCore<T>(use: (core: Core) => T): T {
  if (!loaded) load()
  try {
    return use(glue)
  } catch (error) {
    throw translate(error)
  }
}

function load(): void {
  try {
    glue.initSync({ module: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)) })
    loaded = true
  } catch (error) {
    const reason = `WebAssembly: expected to be allowed to run, got: ${textOf(error)}`
    throw new AlvariumError(
      'CORE_UNAVAILABLE',
      `${reason} (a Content-Security-Policy needs 'wasm-unsafe-eval')`,
      {
        cause: error,
      },
    )
  }
}

function translate(error: unknown): unknown {
  if (error instanceof glue.CoreError) {
    const { code, message } = error
    error.free()
    return new AlvariumError(code as ErrorCode, message)
  }
  if (error instanceof WebAssembly.RuntimeError) return replace(error)
  return isStale(error) ? failed(error) : error
}

/** After a trap the instance's memory can be in any state, so nothing of it is used again. */
function replace(trap: unknown): AlvariumError {
  glue.__wbg_reset_state()
  return failed(trap)
}

/** What the generated code says of an object whose instance has been replaced. */
function isStale(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Invalid stale object')
}

function failed(cause: unknown): AlvariumError {
  const text = `core: expected to go on, got a trap (${textOf(cause)}); it has been replaced, open a new SDK`
  return new AlvariumError('CORE_FAILED', text, { cause })
}
