import type { Role } from '../protocol.ts'
import type { CallName, Params, Result, ToPage } from '../wire.ts'

/** A role's calls, as its worker implements them. */
export type Handlers<R extends Role> = {
  readonly [N in CallName<R>]: (
    params: Params<R, N>,
  ) => Result<R, N> | Promise<Result<R, N>> | Promise<Moved<Result<R, N>>>
}

/** A worker's side of a role: its calls, and what to do when an update has been painted. */
export interface Part<R extends Role> {
  readonly handlers: Handlers<R>
  painted(): void
}

/** A result whose buffers go to the page instead of being copied; the worker cannot use them any more. */
export class Moved<T> {
  readonly value: T
  readonly buffers: readonly ArrayBuffer[]

  constructor(value: T, buffers: readonly ArrayBuffer[]) {
    this.value = value
    this.buffers = buffers
  }
}

/** The worker's own scope; the DOM's types only know a window's. */
interface Scope {
  postMessage(message: ToPage, transfer: ArrayBuffer[]): void
}

/** Sends to the page. */
export function post(message: ToPage, buffers: readonly ArrayBuffer[] = []): void {
  ;(globalThis as unknown as Scope).postMessage(message, [...buffers])
}
