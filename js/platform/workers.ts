/** Starting workers, implemented by workers-node.ts and workers-browser.ts behind `#workers`. */
export interface Workers {
  /** Whether this runtime has any: those at the edge do not, and service workers start none. */
  hasWorkers(): boolean
  /**
   * Starts a worker on the compiled js/pool/worker.ts.
   *
   * @throws whatever the platform throws that will not start one
   */
  startWorker(from: WorkerFrom, events: WorkerEvents): StartedWorker
}

/**
 * Where a pool's workers come from:
 *
 * - `beside`: the file that the package has beside this one. The URL has to stand in the implementation, next to
 *   `new Worker`: that is what bundlers look for
 * - `{ source }`: the text of that file, for bundlers that left it behind
 * - `{ url }`, `{ make }`: what the application has given
 */
export type WorkerFrom =
  | 'beside'
  | { readonly source: string }
  | { readonly url: string }
  | { readonly make: () => AnyWorker }

/** A worker of any platform: a browser's `Worker`, or that of `node:worker_threads`. */
export interface AnyWorker {
  /** Sends it what is to be done. */
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  /** Ends it as it is. */
  terminate(): unknown
}

/** What a worker tells the thread that started it. */
interface WorkerEvents {
  message(data: unknown): void
  /** It is gone, or as good as gone: an error that nobody caught. Told once or more. */
  ended(reason: unknown): void
}

/** A worker, as the thread that started it sees it. */
export interface StartedWorker {
  post(data: unknown, transfer: readonly ArrayBuffer[]): void
  /** Ends it, in the middle of whatever it does. */
  stop(): Promise<void>
}

/** Node's worker threads emit; browsers' workers dispatch, and so do those that Bun and Deno have beside Node's. */
interface Emits {
  on(event: string, listener: (value: unknown) => void): unknown
}

/** Listens to a worker of either kind. */
export function started(worker: AnyWorker, events: WorkerEvents): StartedWorker {
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
  // Without a message when the file could not be loaded: the browser keeps the reason for its console.
  worker.addEventListener('error', (event) => {
    ended(new Error((event as ErrorEvent).message || 'the worker did not load'))
  })
}
