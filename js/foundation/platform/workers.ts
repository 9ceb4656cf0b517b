/** Worker functions, implemented by workers-node.ts and workers-browser.ts behind `#workers`. */
export interface Workers {
  /** Returns whether this runtime has workers: edge runtimes do not, and service workers cannot start any. */
  hasWorkers(): boolean
  /**
   * Starts a worker on the compiled js/sdk/pool/worker.ts.
   *
   * @throws the platform's error if it does not start one
   */
  startWorker(from: WorkerOrigin, events: WorkerEvents): StartedWorker
}

/**
 * Origin of a pool's workers:
 *
 * - `beside`: the file that the package has next to this one. The URL must be in the implementation, next to `new Worker`, because bundlers
 * look for that
 * - `{ source }`: the text of that file, for bundlers that omitted it
 * - `{ url }`, `{ make }`: the application's own worker
 */
export type WorkerOrigin =
  | 'beside'
  | { readonly source: string }
  | { readonly url: string }
  | { readonly make: () => AnyWorker }

/** Worker of any platform: a browser's `Worker`, or that of `node:worker_threads`. */
export interface AnyWorker {
  /** Sends a task to the worker. */
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  /** Ends the worker immediately. */
  terminate(): unknown
}

/** Events of a worker for the thread that started it. */
interface WorkerEvents {
  message(data: unknown): void
  /** Reports the end of the worker, or an uncaught error, which ends it too. Called once or more. */
  ended(reason: unknown): void
}

/** Worker from the view of the thread that started it. */
export interface StartedWorker {
  post(data: unknown, transfer: readonly ArrayBuffer[]): void
  /** Ends the worker, even in the middle of a task. */
  stop(): Promise<void>
}

/** Worker thread of Node, which emits events. Browsers' workers dispatch them, and so do the additional ones of Bun and Deno. */
interface Emits {
  on(event: string, listener: (value: unknown) => void): unknown
}

export function wrapWorker(worker: AnyWorker, events: WorkerEvents): StartedWorker {
  if ('on' in worker) listen(worker as unknown as Emits, events)
  else listenToTarget(worker as unknown as EventTarget, events)
  return {
    post: (data, transfer) => worker.postMessage(data, [...transfer]),
    stop: async () => {
      await worker.terminate()
    },
  }
}

function listen(worker: Emits, { message, ended }: WorkerEvents): void {
  worker.on('message', message)
  worker.on('messageerror', ended)
  worker.on('error', ended)
  worker.on('exit', (code) => ended(new Error(`the worker exited with code ${code}`)))
}

function listenToTarget(worker: EventTarget, { message, ended }: WorkerEvents): void {
  worker.addEventListener('message', (event) => message((event as MessageEvent).data))
  worker.addEventListener('messageerror', ended)
  // Fill in a message if there is none, because the file could not be loaded: the browser shows the reason only in its console.
  worker.addEventListener('error', (event) => {
    ended(new Error((event as ErrorEvent).message || 'the worker did not load'))
  })
}
