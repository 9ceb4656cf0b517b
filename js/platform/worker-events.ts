import type { AnyWorker, StartedWorker, WorkerEvents } from './workers.js'

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
