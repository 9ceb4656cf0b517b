// @alone

import {
  type AnyAnnotator,
  generateKey,
  memory,
  openSdk,
  type SdkOptions,
  signBytes,
  type WorkerPool,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { coreMemory } from '../support/core-memory.js'
import { codeOf, failure } from '../support/failure.js'
import { key } from '../support/sdk.js'

const payload = utf8('hello')
/** Annotators with long names: a few hundred leaked sealers would grow the core's memory by megabytes. */
const wordy: AnyAnnotator[] = Array.from({ length: 31 }, (_, at) => ({
  kind: `${at}`.padEnd(255, 'k'),
  isSatisfied: () => true,
}))
const signer = {
  verifyingKey: key.verifyingKey,
  sign: (identity: Uint8Array) => signBytes(key.signingKey, identity),
}
const { signingKey: p256 } = await generateKey({ algorithm: 'P-256' })

let workers: WorkerPool
beforeAll(async () => {
  workers = await pool({ workers: 1 })
})
afterAll(() => workers.close())

const WAYS: [string, () => Partial<SdkOptions>][] = [
  ['a key', () => ({})],
  ['a signer', () => ({ signingKey: signer })],
  ['a key of P-256', () => ({ signingKey: p256 })],
  ['a pool', () => ({ pool: workers })],
]

/** Returns by how many bytes the core's memory grows during repeated calls, after the first ones. */
async function growth(act: () => Promise<unknown>, times = 300): Promise<number> {
  for (let time = 0; time < 20; time++) await act()
  const before = coreMemory().buffer.byteLength
  for (let time = 0; time < times; time++) await act()
  return coreMemory().buffer.byteLength - before
}

describe.each(WAYS)("with %s, the core's memory does not grow", (_, way) => {
  const open = (options: Partial<SdkOptions> = {}) =>
    openSdk({ signingKey: key.signingKey, annotators: wordy, stream: memory(), ...way(), ...options })

  it('after SDKs were used and closed', async () => {
    const grown = await growth(async () => {
      const sdk = await open()
      await sdk.create(payload)
      await sdk.createMany([payload])
      await sdk.close()
    })
    expect(grown).toBe(0)
  })

  it('after openSdk failed because the stream could not be reached', async () => {
    const stream = { publish: () => {}, connect: () => Promise.reject(new Error('no')) }
    expect(await growth(() => codeOf(() => open({ stream })))).toBe(0)
  })

  it('after openSdk failed because the host was too long', async () => {
    const act = async () =>
      expect((await failure(() => open({ host: 'h'.repeat(256) }))).message).toBe(
        'host: expected 0 to 255 bytes, got 256',
      )
    // A leaked key alone is small, hence more rounds.
    expect(await growth(act, 1000)).toBe(0)
  })
})

it('a call that fails because its signer returns an invalid signature leaves nothing in the memory of the core', async () => {
  const sign = () => new Uint8Array(64)
  await using sdk = await openSdk({ signingKey: { ...signer, sign }, annotators: wordy, stream: memory() })
  expect(await growth(() => codeOf(() => sdk.create(payload)))).toBe(0)
})
