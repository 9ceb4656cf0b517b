import { Worker } from 'node:worker_threads'
import { type WorkerOrigin, type Workers, wrapWorker } from './workers.js'

export const hasWorkers: Workers['hasWorkers'] = () => true

export const startWorker: Workers['startWorker'] = (from, events) => wrapWorker(workerOf(from), events)

/**
 * Starts a worker without the process's flags (--input-type, --import), which are meant for the main file. Each `new
 * Worker` has its own options literal, because Vite parses the options and accepts no variable.
 */
function workerOf(from: WorkerOrigin) {
  if (from === 'beside')
    return new Worker(new URL('../../sdk/pool/worker.js', import.meta.url), { execArgv: [] })
  if ('make' in from) return from.make()
  if ('source' in from) return new Worker(from.source, { execArgv: [], eval: true })
  // Treat any other text as a path, absolute or relative to the working directory.
  return new Worker(/^(file|data|blob):/.test(from.url) ? new URL(from.url) : from.url, { execArgv: [] })
}
