// @alone

import { memory, openSdk, type SdkOptions, signBytes, source } from 'alvarium-sdk'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { countAbortListeners } from '../support/abort-listeners.js'
import { utf8 } from '../support/bytes.js'
import { key, yes } from '../support/sdk.js'
import { stopTimers } from '../support/turns.js'

const payload = utf8('hello')
const late = { kind: 'late', isSatisfied: async () => true }
const signer = {
  verifyingKey: key.verifyingKey,
  sign: async (identity: Uint8Array) => signBytes(key.signingKey, identity),
}

/** Causes for which calls wait. */
const WAITS: [forWhat: string, options: Partial<SdkOptions>][] = [
  ['its annotators', { annotators: [late, yes('at once')] }],
  ['its signer', { signingKey: signer }],
  ['its stream', { stream: { publish: async () => {} } }],
  ['its batch', { batch: { maxBundles: 4 } }],
  ['the signer of its batch', { batch: { maxBundles: 4 }, signingKey: signer }],
]

const openWith = (options: Partial<SdkOptions>) =>
  openSdk({ signingKey: key.signingKey, annotators: [source()], stream: memory(), ...options })

it('a stream that has connected in time leaves no timer', async () => {
  await stopTimers()
  onTestFinished(() => void vi.useRealTimers())
  const stream = { connect: async () => {}, publish: () => {} }
  const sdk = await openWith({ stream, connectTimeoutMs: 60_000 })
  expect(vi.getTimerCount()).toBe(0)
  await sdk.close()
})

describe.each(WAITS)('a call that has waited for %s', (_, options) => {
  beforeEach(async () => {
    await stopTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('leaves no timer', async () => {
    const sdk = await openWith(options)
    await Promise.all([1, 2, 3, 4].map(() => sdk.create(payload)))
    expect(vi.getTimerCount()).toBe(0)
    await sdk.close()
  })

  it('leaves no listener on a signal that many calls share', async () => {
    const listeners = countAbortListeners()
    const { signal } = new AbortController()
    // Custom annotator kinds may be called `signal`, too.
    const context = { signal } as never
    const sdk = await openWith({ ...options, signal })
    for (let round = 0; round < 20; round++) {
      const calls = Array.from({ length: 48 }, () => sdk.create(payload, context))
      // Node would warn about more than ten.
      expect(listeners()).toBeLessThanOrEqual(1)
      await Promise.all(calls)
    }
    await sdk.createMany([payload, payload], context)
    // A listener is removed a turn of the microtask queue after its call.
    await Promise.resolve()
    expect(listeners()).toBe(0)
    await sdk.close()
  })
})
