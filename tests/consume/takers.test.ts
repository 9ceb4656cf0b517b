import { expect, it } from 'vitest'
import { guardedTaker } from '../../dist/consume/guarded.js'
import { failure } from '../support/failure.js'

it('a function that never takes a lease or a checkpoint has its loop end', async () => {
  const patience = { timeoutMs: 10, over: new AbortController().signal }
  const take = guardedTaker('leases.onLease', () => new Promise(() => {}), patience)
  expect(await failure(() => take(new Uint8Array(1)))).toMatchObject({
    code: 'STORE_FAILED',
    message: 'leases.onLease: expected to take it, got no answer within 10 ms',
  })
})
