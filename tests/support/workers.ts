import type { Worker } from 'node:worker_threads'

const started: Worker[] = []
const ready = new WeakSet<Worker>()
process.on('worker', (worker) => {
  started.push(worker)
  worker.once('message', () => ready.add(worker))
  worker.once('exit', () => started.splice(started.indexOf(worker), 1))
})

export const runningWorkers = (): readonly Worker[] => [...started]

/** Returns the workers that have reported that they accept calls. */
export const readyWorkers = (): readonly Worker[] => started.filter((worker) => ready.has(worker))

export const deaths: [string, (worker: Worker) => unknown][] = [
  ['is terminated', (worker) => worker.terminate()],
  ['throws', (worker) => worker.postMessage({ type: 'nonsense' })],
]
