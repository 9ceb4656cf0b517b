// @browser: the event loop of a browser gives timers their turn
import { source, verifyMessage } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { keyring, opened } from '../support/sdk.js'
import { countedTurns } from '../support/turns.js'

const payload = utf8('hello')

/** Starts a timer. Returns whether it has run since. */
function timer(): () => boolean {
  let hasRun = false
  setTimeout(() => {
    hasRun = true
  })
  return () => hasRun
}

describe('an SDK whose stream accepts messages at once', () => {
  // claim: delivery-11
  it('lets timers run between calls in a loop', async () => {
    const { sdk } = await opened([source()])
    const hasRun = timer()
    for (let call = 0; call < 50_000 && !hasRun(); call++) await sdk.create(payload)
    expect(hasRun()).toBe(true)
    await sdk.close()
  })

  it('lets timers run between the payloads of createMany', async () => {
    const { sdk } = await opened([source()])
    const hasRun = timer()
    function* payloads() {
      for (let made = 0; made < 500_000 && !hasRun(); made++) yield payload
    }
    await sdk.createMany(payloads())
    expect(hasRun()).toBe(true)
    await sdk.close()
  })

  it('lets timers run between a few long payloads of createMany', async () => {
    const { sdk } = await opened([source()])
    const turns = await countedTurns(10)
    await sdk.createMany(Array(32).fill(new Uint8Array(2 ** 20)))
    turns.end()
    expect(turns.count).toBeGreaterThan(6)
    await sdk.close()
  })

  it('lets timers run during a call with 8,192 inputs, and during its verification', async () => {
    const { sdk } = await opened([source()])
    const inputs = Array.from({ length: 8_192 }, (_, at) => utf8(`reading ${at}`))
    const made = await countedTurns(10)
    const { message } = await sdk.mutate(inputs, payload)
    made.end()
    const verified = await countedTurns(10)
    await verifyMessage(message, { keyring })
    verified.end()
    expect(made.count).toBeGreaterThan(8)
    expect(verified.count).toBeGreaterThan(2)
    await sdk.close()
  })
})
