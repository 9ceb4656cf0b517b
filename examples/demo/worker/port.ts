import type { Role } from '../protocol.ts'
import type { CallName, Params, Result, ToPage } from '../wire.ts'

/** Calls of a role, as its worker implements them. */
export type Handlers<R extends Role> = {
  readonly [N in CallName<R>]: (
    params: Params<R, N>,
  ) => Result<R, N> | Promise<Result<R, N>> | Promise<Moved<Result<R, N>>>
}

/** Worker's side of a role: its calls, and the handler for painted updates. */
export interface Part<R extends Role> {
  readonly handlers: Handlers<R>
  painted(): void
}

/** Result whose buffers are transferred to the page instead of copied; the worker cannot use them any more. */
export class Moved<T> {
  readonly value: T
  readonly buffers: readonly ArrayBuffer[]

  constructor(value: T, buffers: readonly ArrayBuffer[]) {
    this.value = value
    this.buffers = buffers
  }
}

/** Global scope of a worker; the DOM's types describe only a window's. */
interface Scope {
  postMessage(message: ToPage, transfer: ArrayBuffer[]): void
}

export function post(message: ToPage, buffers: readonly ArrayBuffer[] = []): void {
  ;(globalThis as unknown as Scope).postMessage(message, [...buffers])
}
