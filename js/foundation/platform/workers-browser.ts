import { type WorkerOrigin, type Workers, wrapWorker } from './workers.js'

export const hasWorkers: Workers['hasWorkers'] = () => typeof Worker === 'function'

export const startWorker: Workers['startWorker'] = (from, events) => wrapWorker(workerOf(from), events)

function workerOf(from: WorkerOrigin) {
  if (from === 'beside') {
    return new Worker(new URL('../../sdk/pool/worker.js', import.meta.url), { type: 'module' })
  }
  if ('make' in from) return from.make()
  if ('url' in from) return new Worker(from.url, { type: 'module' })
  const url = URL.createObjectURL(new Blob([from.source], { type: 'text/javascript' }))
  try {
    return new Worker(url)
  } finally {
    URL.revokeObjectURL(url)
  }
}
