import { expect, it, onTestFinished, vi } from 'vitest'
import { guardedTaker } from '../../dist/consume/guarded.js'
import { failure } from '../support/failure.js'

it('a function that never takes a lease or a checkpoint has its loop end', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const patience = { timeoutMs: 10_000, over: new AbortController().signal }
  const take = guardedTaker('leases.onLease', () => new Promise(() => {}), patience)
  const ended = failure(() => take(new Uint8Array(1)))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await ended).toMatchObject({
    code: 'STORE_FAILED',
    message: 'leases.onLease: expected to take it, got no answer within 10000 ms',
  })
})
