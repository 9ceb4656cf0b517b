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
export interface WorkerEvents {
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
