// @own-process: it counts the workers of the process
// @node-only: it uses SharedArrayBuffer

import { source, verifyMessage } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { quiet } from '../support/deferred.js'
import { digest } from '../support/digest.js'
import { key, keyring, lastOf, opened } from '../support/sdk.js'
import { until } from '../support/until.js'
import { deaths, readyWorkers, runningWorkers } from '../support/workers.js'

const MIB = 1024 * 1024
const keyOfPayload = (payload: Uint8Array) => digest('sha256', payload)
/** Returns a payload that keeps its worker busy: when the worker is killed, it has not answered. */
const longPayload = () => new Uint8Array(new SharedArrayBuffer(16 * MIB))
const payloads = (count: number) => Array.from({ length: count }, (_, at) => utf8(`payload ${at}`))

describe('when a worker dies', () => {
  // claim: pool-1
  it.each(deaths)('its calls are completed by another worker if the dying worker %s', async (how, kill) => {
    await using workers = await pool({ workers: 2, maxQueuedBytes: 2 ** 30 })
    const { sdk } = await opened([source()], { pool: workers })
    const before = runningWorkers()
    const [dying] = before as [(typeof before)[number]]
    const posted = vi.spyOn(dying, 'postMessage')
    let answered = 0
    dying.on('message', ({ type }) => (answered += Number(type === 'results')))
    // One long payload for each worker.
    const all = [longPayload(), longPayload(), ...payloads(2000)]
    const calls = all.map((payload) => sdk.create(payload))
    // The worker has calls by now.
    await Promise.resolve()
    await kill(dying)
    const receipts = await Promise.all(calls)
    const given = posted.mock.calls.filter(([{ type }]) => type === 'seal').length
    expect(given).toBeGreaterThan(0)
    // A worker that must throw first finishes its earlier messages, and may have answered them.
    if (how !== 'throws') expect(given).toBeGreaterThan(answered)
    expect(receipts.map(({ bundle }) => bundle.key)).toEqual(all.map(keyOfPayload))
    // A worker that must throw may not have reached that message yet.
    await until(() => !runningWorkers().includes(dying) && runningWorkers().length === 2)
    await sdk.close()
  })

  it('another worker verifies the messages, each with its own payload', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk, stream } = await opened([source()])
    await sdk.create(utf8('a'))
    const [dying] = runningWorkers()
    const outcomes = [utf8('a'), utf8('b'), new Uint8Array(0), undefined].map((payload) =>
      verifyMessage(lastOf(stream), { keyring, payload, pool: workers }).then(
        () => 'verified',
        ({ code }) => code,
      ),
    )
    // The worker has the messages by now.
    await Promise.resolve()
    await dying?.terminate()
    const mismatch = 'PAYLOAD_MISMATCH'
    expect(await Promise.all(outcomes)).toEqual(['verified', mismatch, mismatch, 'verified'])
    await sdk.close()
  })

  it('its calls wait for the next worker if it was the only worker', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk, verified } = await opened([source()], { pool: workers })
    const calls = payloads(300).map((payload) => sdk.create(payload))
    await runningWorkers()[0]?.terminate()
    await Promise.all(calls)
    await verified()
    await sdk.close()
  })

  it('a call that kills a second worker is rejected, and no other call is', async () => {
    await using workers = await pool({ workers: 1, maxQueuedBytes: 2 ** 30 })
    const { sdk } = await opened([source()], { pool: workers, hash: 'md5' })
    const deadly = sdk.create(new Uint8Array(new SharedArrayBuffer(256 * 1024 * 1024)))
    const calls = payloads(40).map((payload) => sdk.create(payload))
    const gone = expect(deadly).rejects.toMatchObject({
      code: 'CORE_FAILED',
      message: expect.stringContaining('for the second time'),
    })
    for (let death = 0; death < 2; death++) {
      await until(() => readyWorkers().length === 1)
      // A worker gets the call as soon as it is ready, and needs half a second for it on a fast machine.
      await quiet()
      await readyWorkers()[0]?.terminate()
    }
    await gone
    await Promise.all(calls)
    await sdk.close()
  })

  it('another worker starts, even if the dead worker had not finished starting', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk } = await opened([source()], { pool: workers })
    const call = sdk.create(utf8('a'))
    for (let death = 0; death < 3; death++) await runningWorkers()[0]?.terminate()
    await call
    await sdk.close()
  })

  // claim: pool-2
  it('a call whose payload was transferred to the worker rejects', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk } = await opened([source()], { pool: workers })
    const long = sdk.create(longPayload())
    const handedOver = sdk.create(new Uint8Array(100_000), { transfer: true })
    const copied = sdk.create(new Uint8Array(100_000))
    const gone = expect(handedOver).rejects.toMatchObject({
      code: 'CORE_FAILED',
      message: expect.stringContaining('handed over'),
    })
    await Promise.resolve()
    await runningWorkers()[0]?.terminate()
    await gone
    await Promise.all([long, copied])
    await sdk.close()
  })

  it('all calls whose payloads were transferred to the worker reject, and no other call does', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk } = await opened([source()], { pool: workers })
    const long = sdk.create(longPayload())
    const calls = payloads(144).map((payload, at) => sdk.create(payload, { transfer: at % 2 === 0 }))
    const settled = Promise.allSettled(calls)
    await Promise.resolve()
    await runningWorkers()[0]?.terminate()
    const lost = (await settled).map((one) => one.status === 'rejected' && one.reason.code)
    await long
    // A job has 48 calls, and the third job had not been sent.
    expect(lost).toEqual(Array.from({ length: 144 }, (_, at) => at < 96 && at % 2 === 0 && 'CORE_FAILED'))
    await sdk.close()
  })

  it('a closing pool starts no other worker', async () => {
    const workers = await pool({ workers: 2 })
    const closing = workers.close()
    await runningWorkers()[0]?.terminate()
    await closing
    expect(runningWorkers()).toHaveLength(0)
  })

  it('the calls of a closing SDK are still completed', async () => {
    await using workers = await pool({ workers: 1 })
    const { sdk, stream } = await opened([source()], { pool: workers, signingKey: key.signingKey })
    const calls = payloads(100).map((payload) => sdk.create(payload))
    const closing = sdk.close()
    await runningWorkers()[0]?.terminate()
    await closing
    await Promise.all(calls)
    expect(stream.messages).toHaveLength(100)
  })
})
