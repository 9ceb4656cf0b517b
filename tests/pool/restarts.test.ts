// @own-process: it stops the clock
// @node-only: it uses node:worker_threads

import { Worker } from 'node:worker_threads'
import { source } from 'alvarium-sdk'
import { type PoolEventMap, type PoolStats, pool, type WorkerPool } from 'alvarium-sdk/pool'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { opened } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'
import { until } from '../support/until.js'
import { readyWorkers, runningWorkers } from '../support/workers.js'

const url = new URL(import.meta.resolve('alvarium-sdk/pool/worker'))

const faults: [string, () => Worker][] = [
  ['exit', () => new Worker('process.exit(1)', { eval: true })],
  ['throw', () => new Worker('throw new Error("no core")', { eval: true })],
  ['cannot be created', () => expect.unreachable('no worker')],
]
const [[, exiting]] = faults as [(typeof faults)[number]]

/** Opens a pool whose workers start until they are broken, and again after they are fixed. */
async function breakable(workers: number, broken = exiting) {
  let isBroken = false
  const made: Worker[] = []
  const make = () => {
    if (isBroken) return broken()
    made.push(new Worker(url))
    return made.at(-1) as Worker
  }
  return {
    workers: await pool({ workers, worker: make }),
    breakDown: async (count = workers) => {
      isBroken = true
      await Promise.all(made.splice(0, count).map((worker) => worker.terminate()))
    },
    mend: () => {
      isBroken = false
    },
  }
}

function next<Type extends keyof PoolEventMap>(workers: WorkerPool, type: Type): Promise<PoolEventMap[Type]> {
  return new Promise((resolve) => workers.addEventListener(type, resolve, { once: true }))
}

async function failures(workers: WorkerPool, failedStarts: number): Promise<void> {
  while ((await next(workers, 'startfailed')).failedStarts < failedStarts);
}

const isTold = (stats: PoolStats, told: Partial<PoolStats>) =>
  Object.entries(told).every(([name, value]) => stats[name as keyof PoolStats] === value)

afterEach(() => vi.useRealTimers())

describe('when a pool loses a worker and no new worker starts', () => {
  // claim: pool-9
  it.each(faults)('the pool recovers after four failed starts of workers that %s', async (_, broken) => {
    const { workers, breakDown, mend } = await breakable(1, broken)
    const { sdk, verified } = await opened([source()], { pool: workers })
    const failed = failures(workers, 4)
    await breakDown()
    await failed
    expect(workers.stats()).toMatchObject({ workers: 0, failedStarts: 4 })
    mend()
    const started = next(workers, 'workerstarted')
    await sdk.create(utf8('after'))
    expect((await started).workers).toBe(1)
    await verified()
    expect(workers.stats()).toMatchObject({
      workers: 1,
      starting: 0,
      failedStarts: 0,
      nextStartMs: undefined,
    })
    await sdk.close()
    await workers.close()
  })

  it('calls wait for the first attempts, and are completed when a worker has started', async () => {
    const { workers, breakDown, mend } = await breakable(1)
    const { sdk, verified } = await opened([source()], { pool: workers })
    const failed = failures(workers, 2)
    await breakDown()
    const calls = ['a', 'b'].map((text) => sdk.create(utf8(text)))
    await failed
    expect(workers.stats()).toMatchObject({ queued: 2, queuedBytes: 2 })
    mend()
    await Promise.all(calls)
    await verified()
    await sdk.close()
    await workers.close()
  })

  // claim: pool-7
  it('calls reject when the third attempt fails, and later calls wait for the next attempt', async () => {
    const { workers, breakDown, mend } = await breakable(1)
    const { sdk } = await opened([source()], { pool: workers })
    const failed = failures(workers, 3)
    await breakDown()
    const early = codeOf(() => sdk.create(utf8('early')))
    await failed
    const later = codeOf(() => sdk.create(utf8('later')))
    expect(await early).toBe('CORE_FAILED')
    expect(await later).toBe('CORE_FAILED')
    expect(workers.stats().failedStarts).toBeGreaterThan(3)
    const latest = sdk.create(utf8('latest'))
    mend()
    await latest
    await sdk.close()
    await workers.close()
  })

  it('calls go to the remaining workers, and none rejects', async () => {
    const { workers, breakDown, mend } = await breakable(2)
    const { sdk, verified } = await opened([source()], { pool: workers })
    const failed = failures(workers, 4)
    await breakDown(1)
    const calls = Array.from({ length: 200 }, (_, at) => sdk.create(utf8(`${at}`)))
    await failed
    await Promise.all(calls)
    expect(workers.stats()).toMatchObject({ workers: 1, failedStarts: 4 })
    mend()
    expect((await next(workers, 'workerstarted')).workers).toBe(2)
    await verified()
    await sdk.close()
    await workers.close()
  })

  // claim: pool-8
  it('the pool tries to start one worker at growing intervals, and all lost workers after the first success', async () => {
    const tried = vi.fn(exiting)
    const { workers, breakDown, mend } = await breakable(3, tried)
    await stopTimers('performance')
    await breakDown()
    for (let failedStarts = 1; failedStarts <= 4; failedStarts++) {
      await until(() => isTold(workers.stats(), { workers: 0, starting: 0, failedStarts }))
      // The three lost workers are replaced at once, which counts as one attempt.
      expect(tried).toHaveBeenCalledTimes(2 + failedStarts)
      const { nextStartMs = 0 } = workers.stats()
      expect(nextStartMs).toBeGreaterThanOrEqual(50 * 2 ** failedStarts)
      expect(nextStartMs).toBeLessThanOrEqual(100 * 2 ** failedStarts)
      if (failedStarts === 4) mend()
      vi.advanceTimersByTime(Math.ceil(nextStartMs))
    }
    await until(() => workers.stats().workers === 3)
    expect(readyWorkers()).toHaveLength(3)
    await workers.close()
  })

  it('the pool emits events about the lost worker and about the failed start', async () => {
    const { workers, breakDown } = await breakable(1)
    const [lost, failed] = [next(workers, 'workerlost'), next(workers, 'startfailed')]
    await breakDown()
    expect(await lost).toMatchObject({ workers: 0, error: { code: 'CORE_FAILED' } })
    const { error, failedStarts, nextStartMs } = await failed
    expect([error.code, failedStarts]).toEqual(['CORE_FAILED', 1])
    expect(error.message).toContain('the worker exited with code 1')
    expect(nextStartMs).toBeGreaterThan(90)
    expect(nextStartMs).toBeLessThanOrEqual(200)
    await workers.close()
  })

  it('a closed pool makes no more attempts', async () => {
    const { workers, breakDown, mend } = await breakable(1)
    const failed = failures(workers, 2)
    await breakDown()
    await failed
    mend()
    await workers.close()
    expect(workers.stats().nextStartMs).toBeUndefined()
    await until(() => runningWorkers().length === 0)
  })

  it('calls in progress settle when the pool is closed', async () => {
    const { workers, breakDown } = await breakable(1)
    const { sdk } = await opened([source()], { pool: workers })
    await breakDown()
    const code = codeOf(() => sdk.create(utf8('a')))
    await workers.close()
    expect(await code).toBe('CORE_FAILED')
    await sdk.close()
  })

  it('a worker that does not answer for a minute counts as a failed start', async () => {
    const silent = () => new Worker('setInterval(() => {}, 1000)', { eval: true })
    const { workers, breakDown } = await breakable(1, silent)
    const failed = next(workers, 'startfailed')
    await stopTimers()
    await breakDown()
    await until(() => workers.stats().starting === 1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await failed).error.message).toContain('no answer from it within 60 s')
    vi.useRealTimers()
    await until(() => runningWorkers().length === 0)
    await workers.close()
  })
})

it('listening for an unknown event of a pool throws a TypeError', async () => {
  await using workers = await pool({ workers: 1 })
  const type = 'workerstart' as 'workerstarted'
  expect(() => workers.addEventListener(type, () => {})).toThrow(
    /expected workerlost, startfailed, workerstarted, got "workerstart"/,
  )
})
