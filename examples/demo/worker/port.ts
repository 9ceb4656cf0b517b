import type { Role } from '../protocol.ts'
import type { CallName, Params, Result, ToPage } from '../wire.ts'

export type Handlers<R extends Role> = {
  readonly [N in CallName<R>]: (
    params: Params<R, N>,
  ) => Result<R, N> | Promise<Result<R, N>> | Promise<Moved<Result<R, N>>>
}

/** Role in its worker: the calls, and the handler for painted updates. */
export interface Part<R extends Role> {
  readonly handlers: Handlers<R>
  painted(): void
}

/** Result with buffers that are transferred, not copied. The worker cannot use these buffers afterwards. */
export class Moved<T> {
  readonly value: T
  readonly buffers: readonly ArrayBuffer[]

  constructor(value: T, buffers: readonly ArrayBuffer[]) {
    this.value = value
    this.buffers = buffers
  }
}

/** Global scope of a worker, because the DOM types describe only a window's. */
interface Scope {
  postMessage(message: ToPage, transfer: ArrayBuffer[]): void
}

export function post(message: ToPage, buffers: readonly ArrayBuffer[] = []): void {
  ;(globalThis as unknown as Scope).postMessage(message, [...buffers])
}
