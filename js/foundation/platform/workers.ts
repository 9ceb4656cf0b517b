/** Worker functions of a platform. `#workers` selects workers-node.ts or workers-browser.ts. */
export interface Workers {
  /** Returns whether this runtime can start workers. Edge runtimes have none, and service workers cannot start any. */
  hasWorkers(): boolean
  /**
   * Starts a worker that runs the compiled js/sdk/pool/worker.ts.
   *
   * @throws the platform's error when it cannot start the worker
   */
  startWorker(from: WorkerOrigin, events: WorkerEvents): StartedWorker
}

/**
 * Origin of a pool's workers:
 *
 * - `beside`: the package's own file. Its URL must stand next to `new Worker` in the implementation, because
 *   bundlers look for the two together
 * - `{ source }`: the text of that file, for bundlers that omit the file
 * - `{ url }`, `{ make }`: a worker of the application
 */
export type WorkerOrigin =
  | 'beside'
  | { readonly source: string }
  | { readonly url: string }
  | { readonly make: () => AnyWorker }

/** Worker of any platform: the `Worker` of a browser, or of `node:worker_threads`. */
export interface AnyWorker {
  /** Sends a message to the worker, and moves the buffers to it. */
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  /** Ends the worker immediately. */
  terminate(): unknown
}

interface WorkerEvents {
  message(data: unknown): void
  /**
   * Reports the end of the worker, an unreadable message, or an uncaught error, which a browser's worker
   * survives. May be called more than once. Workers of browsers do not report that they were stopped.
   */
  ended(reason: unknown): void
}

export interface StartedWorker {
  post(data: unknown, transfer: readonly ArrayBuffer[]): void
  stop(): Promise<void>
}

/** Worker of `node:worker_threads`, which emits events with `on`. A global `Worker` dispatches events. */
interface EventEmitterLike {
  on(event: string, listener: (value: unknown) => void): unknown
}

export function wrapWorker(worker: AnyWorker, events: WorkerEvents): StartedWorker {
  if ('on' in worker) listen(worker as unknown as EventEmitterLike, events)
  else listenToTarget(worker as unknown as EventTarget, events)
  return {
    post: (data, transfer) => worker.postMessage(data, [...transfer]),
    stop: async () => {
      await worker.terminate()
    },
  }
}

function listen(worker: EventEmitterLike, { message, ended }: WorkerEvents): void {
  worker.on('message', message)
  worker.on('messageerror', ended)
  worker.on('error', ended)
  worker.on('exit', (code) => ended(new Error(`the worker exited with code ${code}`)))
}

function listenToTarget(worker: EventTarget, { message, ended }: WorkerEvents): void {
  worker.addEventListener('message', (event) => message((event as MessageEvent).data))
  worker.addEventListener('messageerror', ended)
  // The event has no message if the file could not be loaded. The browser shows the reason only in its console.
  worker.addEventListener('error', (event) => {
    ended(new Error((event as ErrorEvent).message || 'the worker did not load'))
  })
}
