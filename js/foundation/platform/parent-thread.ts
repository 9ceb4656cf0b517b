export interface ParentThread {
  listen(onMessage: (data: unknown) => void): void
  post(data: unknown, transfer: readonly ArrayBuffer[]): void
}

/**
 * Returns the parent thread of a worker. The function tests for Node at run time, because the same worker file serves
 * all platforms and no import condition applies to it.
 *
 * @throws Error on a main thread
 */
export function parentThread(): ParentThread {
  const port = globalThis.process?.getBuiltinModule?.('node:worker_threads')?.parentPort
  if (port) {
    return {
      listen: (onMessage) => port.on('message', onMessage),
      post: (data, transfer) => port.postMessage(data, transfer),
    }
  }
  if (typeof globalThis.postMessage !== 'function' || typeof document !== 'undefined') {
    throw new Error('alvarium-sdk/pool/worker: expected to run in a worker, got the main thread')
  }
  return {
    listen: (onMessage) => globalThis.addEventListener('message', ({ data }) => onMessage(data)),
    post: (data, transfer) => globalThis.postMessage(data, { transfer: [...transfer] }),
  }
}
