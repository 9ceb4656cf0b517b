import { expect, it, vi } from 'vitest'
import { guardedDeadLetter, guardedTaker } from '../../dist/consume/guarded.js'
import { failure } from '../support/failure.js'

const log = () => {}
const silent = { debug: log, info: log, warn: log, error: log }

it('a function that never takes a lease or a checkpoint has its loop end', async () => {
  const patience = { timeoutMs: 10, over: new AbortController().signal }
  const take = guardedTaker('leases.onLease', () => new Promise(() => {}), patience)
  expect(await failure(() => take(new Uint8Array(1)))).toMatchObject({
    code: 'STORE_FAILED',
    message: 'leases.onLease: expected to take it, got no answer within 10 ms',
  })
})

it('a dead-letter stream can be used again, whether it closed or not', async () => {
  const patience = { timeoutMs: 60_000, over: new AbortController().signal }
  const close = vi.fn(async () => {})
  const stream = { publish: () => {}, close }
  for (const outcome of [Promise.reject(new Error('EIO')), Promise.resolve(), Promise.resolve()]) {
    outcome.catch(() => {})
    close.mockReturnValueOnce(outcome)
    const guarded = guardedDeadLetter(stream, patience)
    await guarded.connect?.({ logger: silent })
    await Promise.resolve(guarded.close?.()).catch(() => {})
  }
  expect(close).toHaveBeenCalledTimes(3)
})
