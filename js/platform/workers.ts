/** Starting workers, implemented by workers-node.ts and workers-browser.ts behind `#workers`. */
export interface Workers {
  /**
   * Starts a worker on js/pool/worker.ts. The URL has to stand in the implementation, next to `new Worker`: that
   * is what bundlers look for.
   */
  startWorker(events: WorkerEvents): StartedWorker
  /** The thread that started this one, seen from inside a worker. */
  parentThread(): ParentThread
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

/** The thread that started a worker, as the worker sees it. */
export interface ParentThread {
  listen(onMessage: (data: unknown) => void): void
  post(data: unknown, transfer: readonly ArrayBuffer[]): void
}
