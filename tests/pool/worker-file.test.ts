// @own-process: it stops the clock
// @node-only: it uses node:fs/promises, node:os, node:path, node:url, node:worker_threads

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { source } from 'alvarium-sdk'
import { type PoolOptions, pool } from 'alvarium-sdk/pool'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { opened } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'
import { readyWorkers, runningWorkers } from '../support/workers.js'

const url = import.meta.resolve('alvarium-sdk/pool/worker')

describe('pool() with the option worker', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'alvarium-worker-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each<[string, PoolOptions['worker']]>([
    ['a URL as text', url],
    ['a URL', new URL(url)],
    ['a path', fileURLToPath(url)],
    ['a function', () => new Worker(new URL(url))],
  ])('starts the worker from %s, and again after the worker has died', async (_, worker) => {
    await using workers = await pool({ workers: 1, worker })
    const { sdk, verified } = await opened([source()], { pool: workers })
    await sdk.create(utf8('before'))
    const [first] = runningWorkers()
    await first?.terminate()
    await sdk.create(utf8('after'))
    await verified()
    expect(readyWorkers()).not.toContain(first)
    await sdk.close()
  })

  it("starts the application's own worker that imports alvarium-sdk/pool/worker", async () => {
    const own = join(folder, 'own.mjs')
    await writeFile(own, `import ${JSON.stringify(url)}`)
    await using workers = await pool({ workers: 1, worker: own })
    const { sdk, verified } = await opened([source()], { pool: workers })
    await sdk.create(utf8('a'))
    await verified()
    await sdk.close()
  })

  it.each<[string, PoolOptions['worker'], string]>([
    ['a path that does not exist', '/nowhere/worker.js', 'Cannot find module'],
    ['a function that throws', () => expect.unreachable('no worker'), 'no worker'],
  ])(
    'rejects %s with CORE_UNAVAILABLE, and the error names the worker module that it expected',
    async (_, worker, reason) => {
      const error = await failure(() => pool({ workers: 2, worker }))
      expect(error).toMatchObject({
        code: 'CORE_UNAVAILABLE',
        message: expect.stringMatching(
          new RegExp(`^pool\\.worker: expected alvarium-sdk/pool/worker of this version, got: .*${reason}`),
        ),
      })
      await expect.poll(runningWorkers).toHaveLength(0)
    },
  )

  it('rejects if the worker does not answer for a minute', async () => {
    await stopTimers()
    try {
      const silent = () => new Worker('setInterval(() => {}, 1000)', { eval: true })
      const opening = failure(() => pool({ workers: 1, worker: silent }))
      await vi.advanceTimersByTimeAsync(60_000)
      expect(await opening).toMatchObject({
        code: 'CORE_UNAVAILABLE',
        message: expect.stringContaining('no answer from it within 60 s'),
      })
    } finally {
      vi.useRealTimers()
    }
    await expect.poll(runningWorkers).toHaveLength(0)
  })

  it.each([[42], [''], [{}]])('refuses %o as the value of the option', async (worker) => {
    const error = await failure(() => pool({ workers: 1, worker } as unknown as PoolOptions))
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('pool.worker: expected a URL or a function that starts a worker'),
    })
  })
})

describe('alvarium-sdk/pool/worker', () => {
  it('throws if it is imported outside of a worker', async () => {
    await expect(import('alvarium-sdk/pool/worker')).rejects.toThrow('expected to run in a worker')
  })
})
