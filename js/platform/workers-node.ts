import { parentPort, Worker } from 'node:worker_threads'
import type { Workers } from './workers.js'

export const startWorker: Workers['startWorker'] = ({ message, ended }) => {
  // Flags of the process (--input-type, --import) are for its own main file.
  const worker = new Worker(new URL('../pool/worker.js', import.meta.url), { execArgv: [] })
  worker.on('message', message)
  worker.on('messageerror', ended)
  worker.on('error', ended)
  worker.on('exit', (code) => ended(new Error(`the worker exited with code ${code}`)))
  return {
    post: (data, transfer) => worker.postMessage(data, transfer),
    stop: async () => {
      await worker.terminate()
    },
  }
}

export const parentThread: Workers['parentThread'] = () => {
  if (!parentPort) throw new Error('parentThread: expected to run in a worker, got the main thread')
  const port = parentPort
  return {
    listen: (onMessage) => port.on('message', onMessage),
    post: (data, transfer) => port.postMessage(data, transfer),
  }
}
