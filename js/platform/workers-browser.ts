import type { Workers } from './workers.js'

export const startWorker: Workers['startWorker'] = ({ message, ended }) => {
  const worker = new Worker(new URL('../pool/worker.js', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }) => message(data))
  worker.addEventListener('messageerror', ended)
  // Without a message when the file could not be loaded: the browser keeps the reason for its console.
  worker.addEventListener('error', (event) => ended(new Error(event.message || 'the worker did not load')))
  return {
    post: (data, transfer) => worker.postMessage(data, [...transfer]),
    stop: async () => worker.terminate(),
  }
}

export const parentThread: Workers['parentThread'] = () => ({
  listen: (onMessage) => globalThis.addEventListener('message', ({ data }) => onMessage(data)),
  post: (data, transfer) => globalThis.postMessage(data, { transfer: [...transfer] }),
})
