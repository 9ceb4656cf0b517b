import type { Worker } from 'node:worker_threads'

/** Every worker of this process, as Node tells of it. */
const started: Worker[] = []
const ready = new WeakSet<Worker>()
process.on('worker', (worker) => {
  started.push(worker)
  worker.once('message', () => ready.add(worker))
  worker.once('exit', () => started.splice(started.indexOf(worker), 1))
})

/** The workers that run now. */
export const runningWorkers = (): readonly Worker[] => [...started]

/** Those that have said that they can take calls. */
export const readyWorkers = (): readonly Worker[] => started.filter((worker) => ready.has(worker))

/** What kills a worker, from outside and from within. */
export const deaths: [string, (worker: Worker) => unknown][] = [
  ['is terminated', (worker) => worker.terminate()],
  ['throws', (worker) => worker.postMessage({ type: 'nonsense' })],
]
