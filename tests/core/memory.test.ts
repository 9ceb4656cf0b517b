// @slow
// @alone
// @node-only: the core's memory grows alike everywhere

import {
  classic,
  generateKey,
  json,
  Keyring,
  keyIdOf,
  openSdk,
  signBytes,
  source,
  verifyBytes,
  verifyClassic,
  verifyMessage,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { held } from '../support/memory.js'
import { genuineMessages, payload } from '../support/messages.js'
import { key, keyring, yes } from '../support/sdk.js'

const MIB = 1024 * 1024
const timeout = 240_000
const stream = { publish: () => {} }
const open = (signingKey = key.signingKey as Parameters<typeof openSdk>[0]['signingKey']) =>
  openSdk({ signingKey, annotators: [source(), yes('a')], stream })

/** Runs `act` a tenth of the times as a warm-up, then all of the times, and checks that memory does not grow. */
async function staysFlat(times: number, act: (at: number) => unknown): Promise<void> {
  for (let at = 0; at < times / 10; at++) await act(at)
  const before = await held()
  for (let at = 0; at < times; at++) await act(at)
  const after = await held()
  // 100,000 leaks of 40 bytes are 4 MB; a smaller growth is the engine's own.
  for (const measured of ['heap', 'external'] as const) {
    const [then, now] = [before[measured], after[measured]]
    if (then !== undefined && now !== undefined) expect(now - then, measured).toBeLessThan(3 * MIB)
  }
  expect(after.core - before.core).toBe(0)
}

describe('memory use stays flat', () => {
  it('when 100,000 payloads are annotated', { timeout }, async () => {
    await using sdk = await open()
    await staysFlat(100_000, () => sdk.create(payload))
  })

  it('when 100,000 messages are verified, many of which are invalid', { timeout }, async () => {
    const { create, mutate } = await genuineMessages()
    const forged = Uint8Array.from(mutate)
    forged[forged.length - 20] = 0x20
    const altered = utf8(new TextDecoder().decode(create).replace('edge-7', 'edge-8'))
    const messages = [create, mutate, forged, altered, utf8('{}'), create.subarray(0, 300)]
    const codes = new Set<string>()
    await staysFlat(100_000, async (at) => {
      const message = messages[at % messages.length] as Uint8Array
      await verifyMessage(message, { keyring, payload }).then(
        () => codes.add('verified'),
        (error) => codes.add(error.code),
      )
    })
    expect([...codes].sort()).toEqual(['MESSAGE_MALFORMED', 'SIGNATURE_INVALID', 'verified'])
  })

  it('when 5,000 classic messages are written and verified, many of them invalid', { timeout }, async () => {
    const codec = classic({ signingKey: key.signingKey })
    await using sdk = await openSdk({
      signingKey: key.signingKey,
      annotators: [source(), yes('a')],
      stream,
      codec,
    })
    const statuses = new Set<string>()
    await staysFlat(5000, async (at) => {
      const { message } = await sdk.create(payload)
      const about = at % 3 === 0 ? utf8('another') : payload
      const { annotations } = await verifyClassic(message, {
        keyring: at % 5 === 0 ? [] : keyring,
        payload: about,
      })
      for (const { status } of annotations) statuses.add(status)
    })
    expect([...statuses].sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('when 2,000 SDKs are opened, used and closed', { timeout }, async () => {
    await staysFlat(2000, async () => {
      await using sdk = await open()
      await sdk.create(payload)
    })
  })

  it('when 2,000 SDKs with an external signer are opened, used and closed', { timeout }, async () => {
    let isDown = false
    const sign = (identity: Uint8Array) => (isDown ? new Uint8Array(1) : signBytes(key.signingKey, identity))
    await staysFlat(2000, async (at) => {
      isDown = at % 2 === 0
      await using sdk = await open({ verifyingKey: key.verifyingKey, sign })
      await sdk.mutate(payload, payload).catch(() => 'refused')
    })
  })

  it('when 5,000 SDKs cannot be opened', { timeout }, async () => {
    const reject = { connect: () => Promise.reject(new Error('down')), publish: () => {} }
    const wrong = [{ signingKey: 'abc' }, { host: 'h'.repeat(300) }, { stream: reject }]
    const codes = new Set<string>()
    await staysFlat(5000, async (at) => {
      const options = { signingKey: key.signingKey, annotators: [], stream, ...wrong[at % wrong.length] }
      codes.add(await codeOf(() => openSdk(options)))
    })
    expect([...codes].sort()).toEqual(['CONFIG_INVALID', 'KEY_INVALID', 'STREAM_UNREACHABLE'])
  })

  it('when 20,000 calls are refused by the core', { timeout }, async () => {
    await using sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream, hash: 'none' })
    const codes = new Set<string>()
    await staysFlat(20_000, async () => codes.add(await codeOf(() => sdk.create(new Uint8Array([0xff])))))
    expect([...codes]).toEqual(['PAYLOAD_INVALID'])
  })

  it('when 5,000 keys are made, read, used and put on keyrings', { timeout }, async () => {
    const { create } = await genuineMessages()
    await staysFlat(5000, async (at) => {
      const { signingKey, verifyingKey, keyId } = generateKey()
      if (at % 10 > 0) return expect(keyIdOf(verifyingKey)).toBe(keyId)
      expect(verifyBytes(verifyingKey, payload, signBytes(signingKey, payload))).toBe(true)
      const own = new Keyring([verifyingKey, key.verifyingKey])
      await verifyMessage(create, { keyring: own })
      own.close()
      return verifyMessage(create, { keyring: [verifyingKey, key.verifyingKey] })
    })
  })
})

// The order matters: memory that has grown once has room for all later tests.
describe('the memory of the core', () => {
  it('does not grow with a message that is far too long', { timeout }, async () => {
    const before = await held()
    await expect(verifyMessage(new Uint8Array(32 * MIB), { keyring })).rejects.toThrow('33554432')
    const codec = { ...json(), decode: () => new Uint8Array(32 * MIB) }
    await expect(verifyMessage(payload, { keyring, codec })).rejects.toThrow('33554432')
    expect((await held()).core - before.core).toBeLessThan(3 * MIB)
  })

  it('does not grow with the size of a payload, for each hash', { timeout }, async () => {
    const large = new Uint8Array(32 * MIB)
    const { create } = await genuineMessages()
    const attempts = (['sha256', 'md5', 'none'] as const).map((hash) => async () => {
      await using sdk = await openSdk({
        signingKey: key.signingKey,
        annotators: [],
        stream,
        hash,
        engine: 'wasm',
      })
      await sdk.mutate(large, large).catch(() => 'too large')
    })
    const before = await held()
    for (const attempt of attempts) await attempt()
    await verifyMessage(create, { keyring, payload: large }).catch(() => 'another payload')
    expect((await held()).core - before.core).toBeLessThan(2 * MIB)
  })
})
