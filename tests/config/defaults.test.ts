// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { openSdk } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readGroupOptions } from '../../dist/consume/group.js'
import { readConsumeOptions } from '../../dist/consume/options.js'
import { readOutboxOptions } from '../../dist/streams/outbox/options.js'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'

describe('an option that is not given', () => {
  // claim: delivery-29, delivery-30
  it('of an outbox is what the guide says', () => {
    expect(readOutboxOptions({ stream: { publish: () => {} }, store: 'a' })).toMatchObject({
      ...{ streamTimeoutMs: 300_000, closeTimeoutMs: 5_000, maxAgeMs: Number.MAX_SAFE_INTEGER },
      ...{ whenFull: 'reject', whenRefused: 'drop' },
    })
  })

  // claim: verifying-14, verifying-19, verifying-20
  it('of a subscription is what the guide says', () => {
    const dedup = { max: 100_000, ttlMs: 3_600_000, timeoutMs: 10_000 }
    expect(readConsumeOptions({ dedup: {} })).toMatchObject({
      ...{ ack: 'next', dedup, deadLetterTimeoutMs: 60_000, closeTimeoutMs: 5_000 },
    })
    expect(readConsumeOptions({}).dedup).toBeUndefined()
  })

  // claim: verifying-24
  it('of groups is what the guide says', () => {
    expect(readGroupOptions()).toEqual({ max: 256, maxMs: 100 })
  })
})

// claim: config-3
it('close() of an SDK waits for 30 s for a call, unless told otherwise', async () => {
  const stream = { publish: () => new Promise(() => {}) }
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream })
  await stopTimers()
  onTestFinished(() => void vi.useRealTimers())
  const settled = vi.fn()
  const call = codeOf(() => sdk.create(utf8('a'))).finally(settled)
  const closing = sdk.close()
  await vi.advanceTimersByTimeAsync(29_999)
  expect(settled).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(await call).toBe('STREAM_CLOSED')
  await closing
})
