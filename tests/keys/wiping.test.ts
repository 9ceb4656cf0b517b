import { sha512 } from '@noble/hashes/sha2.js'
import { classic, generateKey, memory, openSdk, signBytes, source, toHex } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { expect, it, vi } from 'vitest'
// The package shows nobody the memory of its core; a debugger or a crash dump does.
import { initSync } from '../../dist/core/generated/core.js'
import { latin1, utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { opened } from '../support/sdk.js'

const payload = utf8('hello')
const noBroker = { connect: () => Promise.reject(new Error('no broker')), publish: () => {} }

function withWrongHalf(signingKey: Uint8Array): Uint8Array {
  const wrong = signingKey.slice()
  wrong[40] = (wrong[40] as number) ^ 1
  return wrong
}

/** The seed, and the two halves it expands to (RFC 8032 §5.1.5): each of them is as good as the key. */
function secretsOf(signingKey: Uint8Array): Uint8Array[] {
  const seed = signingKey.subarray(0, 32)
  const expanded = sha512(seed)
  return [seed, expanded.subarray(0, 32), expanded.subarray(32)]
}

function copiesInCore(secret: Uint8Array): number {
  const held = latin1(new Uint8Array(initSync(undefined as never).memory.buffer))
  return held.split(latin1(secret)).length - 1
}

it('an open SDK keeps its key in the memory of the core, where this test can see it', async () => {
  const { signingKey } = generateKey()
  const { sdk } = await opened([source()], { signingKey })
  expect(secretsOf(signingKey).map(copiesInCore)).toContain(1)
  await sdk.close()
})

it.each<[string, (signingKey: Uint8Array) => unknown]>([
  ['a key was made', () => {}],
  [
    'an SDK was opened and closed',
    async (signingKey) => (await opened([source()], { signingKey })).sdk.close(),
  ],
  [
    'an SDK was used and closed',
    async (signingKey) => {
      const { sdk } = await opened([source()], { signingKey })
      await sdk.create(payload)
      await sdk.close()
    },
  ],
  [
    'calls were sealed together',
    async (signingKey) => {
      const { sdk } = await opened([source()], { signingKey })
      await Promise.all(Array.from({ length: 40 }, () => sdk.create(payload)))
      await sdk.close()
    },
  ],
  [
    'an SDK with a classic codec was used and closed',
    async (signingKey) => {
      const codec = classic({ signingKey })
      const { sdk } = await opened([source()], { codec })
      await sdk.create(payload)
      expect(secretsOf(signingKey).map(copiesInCore)).toContain(1)
      await sdk.close()
    },
  ],
  ['bytes were signed', (signingKey) => signBytes(signingKey, payload)],
  ['a key in hexadecimal was used', (signingKey) => signBytes(toHex(signingKey), payload)],
  [
    'the stream could not connect',
    (signingKey) => failure(() => openSdk({ signingKey, annotators: [], stream: noBroker })),
  ],
  [
    'the words were too long for a bundle',
    (signingKey) => failure(() => opened([source()], { signingKey, tag: 'x'.repeat(2000) })),
  ],
  [
    'the pool was closed already',
    async (signingKey) => {
      const workers = await pool({ workers: 1 })
      await workers.close()
      await failure(() => opened([source()], { signingKey, pool: workers }))
    },
  ],
  [
    'the halves of the key did not belong together',
    (signingKey) =>
      failure(() => openSdk({ signingKey: withWrongHalf(signingKey), annotators: [], stream: memory() })),
  ],
])('after %s, nothing of the private key is left there', async (_, act) => {
  const { signingKey } = generateKey()
  await act(signingKey)
  expect(secretsOf(signingKey).map(copiesInCore)).toEqual([0, 0, 0])
})

it('what a key in hexadecimal was read into is wiped, with a pool too', async () => {
  await using workers = await pool({ workers: 1 })
  const encode = vi.spyOn(TextEncoder.prototype, 'encode')
  const { sdk } = await opened([source()], { signingKey: toHex(generateKey().signingKey), pool: workers })
  await sdk.close()
  const read = encode.mock.results.map(({ value }) => value).filter(({ length }) => length === 128)
  encode.mockRestore()
  expect(read.length).toBeGreaterThan(0)
  expect(read.flatMap((bytes) => [...bytes]).every((byte) => byte === 0)).toBe(true)
})
