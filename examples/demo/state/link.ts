/** Connection of the page to a worker. */
import type { Role, Trouble } from '../protocol.ts'
import type { CallName, Params, Result, Roles, ToPage, ToWorker } from '../wire.ts'

/** Error of a failed call. `code` is the code of an `AlvariumError`, `WORKER_FAILED` or `INTERNAL`. */
export class CallFailed extends Error {
  readonly code: string

  constructor({ code, message }: Trouble) {
    super(message)
    this.code = code
  }
}

/** Milliseconds between updates in a hidden page, which has no animation frames. */
const HIDDEN_MS = 250

interface Pending {
  resolve(result: unknown): void
  reject(error: CallFailed): void
}

/** Worker with a role. Has typed calls, and at most one update per animation frame. */
export class Link<R extends Role> {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  #calls = 0
  #take: (update: Roles[R]['update']) => void = () => {}

  constructor(role: R) {
    this.#worker = new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module', name: role })
    this.#worker.onmessage = ({ data }: MessageEvent<ToPage>) => {
      if (data.type === 'update') this.#paint(() => this.#take(data.update as Roles[R]['update']))
      else this.#settle(data)
    }
    this.#worker.onerror = (event) => this.#fail(event.message || 'its script could not be loaded')
    this.#send({ type: 'start', role })
  }

  /** Sets the handler of updates. `take` runs inside an animation frame, so it should only set signals. */
  listen(take: (update: Roles[R]['update']) => void): void {
    this.#take = take
  }

  /**
   * Calls the worker.
   *
   * @param transfer - buffers in `params` to transfer instead of copying; they are empty afterwards
   * @throws CallFailed
   */
  call<N extends CallName<R>>(
    name: N,
    ...[params, transfer = []]: undefined extends Params<R, N>
      ? [params?: Params<R, N>, transfer?: ArrayBuffer[]]
      : [params: Params<R, N>, transfer?: ArrayBuffer[]]
  ): Promise<Result<R, N>> {
    const id = ++this.#calls
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (result: unknown) => void, reject })
      this.#send({ type: 'call', id, name, params }, transfer)
    })
  }

  #send(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer)
  }

  #paint(update: () => void): void {
    const painted = () => {
      update()
      this.#send({ type: 'painted' })
    }
    if (document.hidden) setTimeout(painted, HIDDEN_MS)
    else requestAnimationFrame(painted)
  }

  #settle(answer: Exclude<ToPage, { type: 'update' }>): void {
    const pending = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    if (answer.type === 'result') pending?.resolve(answer.result)
    else pending?.reject(new CallFailed(answer.trouble))
  }

  #fail(message: string): void {
    const error = new CallFailed({ code: 'WORKER_FAILED', message: `worker: ${message}` })
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}
