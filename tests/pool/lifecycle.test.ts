// @own-process: it counts the workers of the process
// @node-only: it uses node:child_process, node:util, node:worker_threads

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { Keyring, openSdk, source, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { type PoolOptions, pool } from 'alvarium-sdk/pool'
import { describe, expect, it, vi } from 'vitest'
import { unhandledRejections } from '../plug-ins/faults.js'
import { utf8 } from '../support/bytes.js'
import { deferred, quiet } from '../support/deferred.js'
import { codeOf, failure } from '../support/failure.js'
import { key, keyring, lastOf, opened } from '../support/sdk.js'
import { countedTurns } from '../support/turns.js'
import { runningWorkers } from '../support/workers.js'

describe('a pool', () => {
  it('has as many workers as the option `workers` requires, and no worker after it is closed', async () => {
    const workers = await pool({ workers: 3 })
    expect([workers.workers, runningWorkers().length]).toEqual([3, 3])
    await Promise.all([workers.close(), workers.close()])
    expect(runningWorkers()).toHaveLength(0)
  })

  it('finishes calls in progress before it closes, and refuses later calls', async () => {
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

  it('wipes the keys of SDKs that are still open when it is closed', async () => {
    const workers = await pool({ workers: 1 })
    // The pool's internal setup, which its types do not show.
    const open = vi.spyOn(workers as unknown as { open(setup: { signingKey: Uint8Array }): unknown }, 'open')
    const { sdk } = await opened([source()], { pool: workers })
    const [[{ signingKey } = { signingKey: new Uint8Array() }] = []] = open.mock.calls
    expect(signingKey.some((byte) => byte !== 0)).toBe(true)
    await workers.close()
    expect(signingKey.every((byte) => byte === 0)).toBe(true)
    await sdk.close()
  })

  // claim: pool-6
  it('does not sign batches in its workers, but in the thread of the caller', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk } = await opened([source()], { pool: workers, batch: {} })
    const [worker] = runningWorkers()
    const posted = vi.spyOn(worker as Worker, 'postMessage')
    await sdk.createMany([utf8('a'), utf8('b')])
    expect(posted.mock.calls.filter(([{ type }]) => type === 'seal')).toEqual([])
    await sdk.close()
  })

  it('makes its workers wipe the key of a closing SDK before the stream has accepted the last message', async () => {
    await using workers = await pool({ workers: 1 })
    const accepting = deferred()
    const stream = { publish: () => accepting.promise }
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream, pool: workers })
    const [worker] = runningWorkers()
    const posted = vi.spyOn(worker as Worker, 'postMessage')
    const call = sdk.create(utf8('a'))
    const closing = sdk.close()
    await vi.waitFor(() => expect(posted.mock.calls.map(([{ type }]) => type)).toContain('free'))
    accepting.resolve()
    await Promise.all([call, closing])
  })

  it('completes the calls in progress of an SDK that closes', async () => {
    await using workers = await pool({ workers: 2 })
    const { sdk, stream } = await opened([source()], { pool: workers })
    const calls = Array.from({ length: 1000 }, (_, at) => sdk.create(utf8(`${at}`)))
    await sdk.close()
    await Promise.all(calls)
    expect(stream.messages).toHaveLength(1000)
  })

  it('does not send a worker the key of an SDK that closed before its calls reached the worker', async () => {
    const held: (() => void)[] = []
    let opens = 0
    const worker = () => {
      const worker = new Worker(new URL(import.meta.resolve('alvarium-sdk/pool/worker')))
      const post = worker.postMessage.bind(worker)
      worker.postMessage = (message: { type: string }, transfer) => {
        if (message.type === 'open') opens++
        if (message.type === 'seal') held.push(() => post(message, transfer))
        else post(message, transfer)
      }
      return worker
    }
    await using workers = await pool({ workers: 1, worker })
    const { sdk: busy } = await opened([source()], { pool: workers })
    const { sdk: late } = await opened([source()], { pool: workers, closeTimeoutMs: 1 })
    // Two groups of calls are with the worker, and the others in the queue.
    const calls = Array.from({ length: 48 * 3 }, (_, at) => busy.create(utf8(`${at}`)))
    const call = codeOf(() => late.create(utf8('late')))
    await late.close()
    const turns = setInterval(() => {
      for (const post of held.splice(0)) post()
    })
    await Promise.all(calls)
    clearInterval(turns)
    expect([await call, opens]).toEqual(['STREAM_CLOSED', 1])
    await busy.close()
  })

  it('rejects calls when it is full, without an unhandled rejection', async () => {
    const unhandled = unhandledRejections()
    await using workers = await pool({ workers: 1, maxQueuedCalls: 256 })
    const { sdk, stream } = await opened([])
    await sdk.create(utf8('a'))
    const messages = Array(256).fill(lastOf(stream))
    const turns = await countedTurns(10)
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => verifyMessages(messages, { keyring, pool: workers }).catch(({ code }) => code)),
    )
    turns.end()
    expect(outcomes).toContain('QUEUE_FULL')
    expect(unhandled).toEqual([])
    await sdk.close()
  })

  it.each<[string, Omit<PoolOptions, 'workers'>]>([
    ['calls', { maxQueuedCalls: 3 }],
    ['bytes', { maxQueuedBytes: 3000 }],
  ])('refuses more %s than its limit, and accepts calls again when there is room', async (_, limits) => {
    await using workers = await pool({ workers: 1, ...limits })
    const { sdk } = await opened([source()], { pool: workers })
    const calls = Array.from({ length: 5 }, () => sdk.create(new Uint8Array(1000)))
    const outcomes = (await Promise.allSettled(calls)).map((one) =>
      one.status === 'rejected' ? one.reason.code : 'fulfilled',
    )
    expect(outcomes).toEqual([...Array(3).fill('fulfilled'), 'QUEUE_FULL', 'QUEUE_FULL'])
    expect(workers.stats()).toMatchObject({ queued: 0, queuedBytes: 0 })
    await Promise.all([1, 2, 3].map(() => sdk.create(new Uint8Array(1000))))
    await sdk.create(new Uint8Array(5000))
    await sdk.close()
  })

  it('keeps at most 16 keyrings in its workers, even when more were used at the same time', async () => {
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
    [{ workers: 2, threads: 1 }, 'pool.threads: is not a known option'],
  ])('refuses the options %o', async (options, text) => {
    const error = await failure(() => pool(options as PoolOptions))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(text) })
  })

  it('does not keep a process alive after it is closed, whatever flags the process was started with', async () => {
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

it('a pool worker that fails while it ends does not end the process', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const dying = () => {
    const terminate = () => Promise.reject(new Error('it does not end'))
    const worker = Object.assign(new EventTarget(), { postMessage: () => {}, terminate })
    queueMicrotask(() => worker.dispatchEvent(new Event('error')))
    return worker
  }
  expect(await codeOf(() => pool({ workers: 2, worker: dying }))).toBe('CORE_UNAVAILABLE')
  await quiet()
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})
