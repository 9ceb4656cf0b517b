import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { Keyring, source, verifyMessage } from 'alvarium-sdk'
import { type PoolOptions, pool } from 'alvarium-sdk/pool'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { key, keyring, lastOf, opened } from '../support/sdk.js'
import { runningWorkers } from '../support/workers.js'

describe('a pool', () => {
  it('has as many workers as it was asked for, and none when it is closed', async () => {
    const workers = await pool({ workers: 3 })
    expect([workers.workers, runningWorkers().length]).toEqual([3, 3])
    await Promise.all([workers.close(), workers.close()])
    expect(runningWorkers()).toHaveLength(0)
  })

  it('finishes the calls under way before it closes, and takes no more', async () => {
    const workers = await pool({ workers: 2 })
    const { sdk, stream } = await opened([source()], { pool: workers })
    const calls = Array.from({ length: 1000 }, (_, at) => sdk.create(utf8(`${at}`)))
    const closing = workers.close()
    expect(await codeOf(() => sdk.create(utf8('late')))).toBe('STREAM_CLOSED')
    await closing
    await Promise.all(calls)
    expect(stream.messages).toHaveLength(1000)
    const late = () => verifyMessage(lastOf(stream), { keyring, pool: workers })
    expect(await codeOf(late)).toBe('STREAM_CLOSED')
    expect(await codeOf(() => opened([], { pool: workers }))).toBe('STREAM_CLOSED')
    await sdk.close()
  })

  it('seals no batch: that is done in the thread of the caller', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk } = await opened([source()], { pool: workers, batch: {} })
    const [worker] = runningWorkers()
    const posted = vi.spyOn(worker as Worker, 'postMessage')
    await sdk.createMany([utf8('a'), utf8('b')])
    expect(posted.mock.calls.filter(([{ type }]) => type === 'group')).toEqual([])
    await sdk.close()
  })

  it('lets an SDK close with calls under way', async () => {
    await using workers = await pool({ workers: 2 })
    const { sdk, stream } = await opened([source()], { pool: workers })
    const calls = Array.from({ length: 1000 }, (_, at) => sdk.create(utf8(`${at}`)))
    await sdk.close()
    await Promise.all(calls)
    expect(stream.messages).toHaveLength(1000)
  })

  it.each<[string, Omit<PoolOptions, 'workers'>]>([
    ['calls', { maxQueuedCalls: 3 }],
    ['bytes', { maxQueuedBytes: 3000 }],
  ])('refuses more %s than it may hold, and goes on when there is room', async (_, limits) => {
    await using workers = await pool({ workers: 1, ...limits })
    const { sdk } = await opened([source()], { pool: workers })
    const calls = Array.from({ length: 5 }, () => sdk.create(new Uint8Array(1000)))
    const outcomes = (await Promise.allSettled(calls)).map((one) =>
      one.status === 'rejected' ? one.reason.code : 'fulfilled',
    )
    expect(outcomes).toEqual([...Array(3).fill('fulfilled'), 'QUEUE_FULL', 'QUEUE_FULL'])
    await sdk.create(new Uint8Array(5000))
    await sdk.close()
  })

  it('has its workers forget keyrings, also when many were used at once', async () => {
    const posted = vi.spyOn(Worker.prototype, 'postMessage')
    await using workers = await pool({ workers: 1 })
    const { sdk, stream } = await opened([source()])
    await sdk.create(utf8('a'))
    const verify = () =>
      verifyMessage(lastOf(stream), { keyring: new Keyring([key.verifyingKey]), pool: workers })
    await Promise.all(Array.from({ length: 60 }, verify))
    await verify()
    const types = posted.mock.calls.map(([request]) => request.type)
    posted.mockRestore()
    const held =
      types.filter((type) => type === 'open').length - types.filter((type) => type === 'free').length
    expect(held).toBeLessThanOrEqual(16)
    await sdk.close()
  })

  it.each([
    [{}, 'pool.workers: expected'],
    [{ workers: 0 }, 'pool.workers: expected an integer from 1 to 256, got 0'],
    [{ workers: 2, threads: 1 }, 'pool.threads: expected an option that exists'],
  ])('refuses %o', async (options, text) => {
    const error = await failure(() => pool(options as PoolOptions))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(text) })
  })

  it('does not keep a process alive once it is closed, whatever flags that was started with', async () => {
    const program = `
      import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
      import { pool } from 'alvarium-sdk/pool'
      const workers = await pool({ workers: 2 })
      const { signingKey } = generateKey()
      const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), pool: workers })
      await sdk.create(new Uint8Array(10))
      await sdk.close()
      await workers.close()
      console.log('closed')`
    const args = ['--input-type=module', '--eval', program]
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 })
    expect(stdout.trim()).toBe('closed')
  })
})
