import { sha512 } from '@noble/hashes/sha2.js'
import {
  classic,
  generateKey,
  memory,
  openSdk,
  type SigningKeyInput,
  signBytes,
  source,
  toHex,
  type WorkerPool,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { describe, expect, it, vi } from 'vitest'
// The package shows nobody the memory of its core; a debugger or a crash dump does.
import { initSync, SigningKey } from '../../dist/core/generated/core.js'
// What a worker does, where this test can see it.
import { openContext } from '../../dist/pool/contexts.js'
import { latin1, utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { privateKeyOf } from '../support/key-forms.js'
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

const memoryOfCore = () => initSync(undefined as never).memory.buffer

function copiesInCore(secret: Uint8Array): number {
  const held = latin1(new Uint8Array(memoryOfCore()))
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

describe('what calls that had a private key have left on the stack of the core', () => {
  /** It ends at the first MiB: rustc has the linker put it before everything else. */
  const left = () => new Uint8Array(memoryOfCore()).subarray(960 * 1024, 1024 * 1024).filter(Boolean).length
  const own = 16

  it('can be seen here', async () => {
    const { sdk } = await opened([source()])
    await sdk.create(payload)
    expect(left()).toBeGreaterThan(500)
    await sdk.close()
  })

  it.each<[string, (signingKey: Uint8Array) => unknown]>([
    ['a key was made', () => generateKey()],
    ['bytes were signed', (signingKey) => signBytes(signingKey, payload)],
    [
      'the halves of a key did not belong together',
      (signingKey) => failure(() => signBytes(withWrongHalf(signingKey), payload)),
    ],
    [
      'an SDK was used and closed',
      async (signingKey) => {
        const { sdk } = await opened([source()], { signingKey })
        await Promise.all(Array.from({ length: 40 }, () => sdk.create(payload)))
        await sdk.close()
      },
    ],
  ])('is overwritten after %s', async (_, act) => {
    await act(generateKey().signingKey)
    expect(left()).toBeLessThan(own)
  })
})

describe('what a private key was read into', async () => {
  const { signingKey } = generateKey()
  const { pem, jwk } = await privateKeyOf(signingKey.slice(0, 32))

  it.each<[string, SigningKeyInput]>([
    ['hexadecimal', toHex(signingKey)],
    ['PEM', pem],
    ["a PEM file's bytes", utf8(pem)],
    ['a JWK', jwk],
    ['the text of a JWK', JSON.stringify(jwk)],
  ])('is wiped, all parts of it, with a pool too: %s', async (_, form) => {
    await using workers = await pool({ workers: 1 })
    const given = structuredClone(form)
    const made = [vi.spyOn(TextEncoder.prototype, 'encode'), vi.spyOn(Uint8Array, 'from')]
    const read = vi.spyOn(SigningKey, 'read')
    signBytes(form, payload)
    const { sdk } = await opened([source()], { signingKey: form, pool: workers })
    const results = made.flatMap(({ mock }) => mock.results).map(({ value }) => value as Uint8Array)
    const arguments_ = read.mock.calls.map(([bytes]) => bytes)
    vi.restoreAllMocks()
    // A seed, both halves, their digits, DER: nothing else that is made here is so long.
    const copies = [...results, ...arguments_].filter(({ length }) => length >= 32)
    expect(arguments_).toHaveLength(2)
    expect(copies.length).toBeGreaterThan(3)
    expect(copies.every((bytes) => bytes.every((byte) => byte === 0))).toBe(true)
    expect(form).toEqual(given)
    await sdk.close()
  })

  it('stays as it was where it is your own', async () => {
    const own = signingKey.slice()
    const { sdk } = await opened([source()], { signingKey: own })
    await sdk.close()
    expect(own).toEqual(signingKey)
  })
})

describe('the copy of a private key that a pool keeps for its workers', () => {
  /** Out of what the pool was given for its workers; each of them gets a copy of that. */
  const copyIn = ({ mock }: { readonly mock: { readonly calls: { signingKey: Uint8Array }[][] } }) => {
    const [[setup] = []] = mock.calls
    if (!setup) throw new Error('expected the pool to be given a key')
    return setup.signingKey
  }
  const spied = (workers: WorkerPool) =>
    vi.spyOn(workers as unknown as { open(setup: { signingKey: Uint8Array }): unknown }, 'open')
  const isWiped = (bytes: Uint8Array) => bytes.length > 0 && bytes.every((byte) => byte === 0)

  it('is wiped when the SDK is closed, and before that it is there', async () => {
    await using workers = await pool({ workers: 1 })
    const opening = spied(workers)
    const { signingKey } = generateKey()
    const { sdk } = await opened([source()], { signingKey, pool: workers })
    expect(copyIn(opening)).toEqual(signingKey)
    expect(copyIn(opening)).not.toBe(signingKey)
    await sdk.close()
    expect(isWiped(copyIn(opening))).toBe(true)
    expect(isWiped(signingKey)).toBe(false)
  })

  it('is wiped when the pool is closed, and the SDK is not', async () => {
    const workers = await pool({ workers: 1 })
    const opening = spied(workers)
    const { sdk } = await opened([source()], { pool: workers })
    await workers.close()
    expect(isWiped(copyIn(opening))).toBe(true)
    await sdk.close()
  })

  it('is wiped when the pool was closed already', async () => {
    const workers = await pool({ workers: 1 })
    await workers.close()
    const opening = spied(workers)
    await failure(() => opened([source()], { pool: workers }))
    expect(isWiped(copyIn(opening))).toBe(true)
  })
})

describe("a worker's copy of a private key", () => {
  const setup = (signingKey: Uint8Array) =>
    ({ hash: 'sha256', engine: 'auto', layer: 'app', host: '', tag: '', kinds: [], signingKey }) as const

  it('is wiped as soon as the core has it, and leaves nothing there when it is freed', () => {
    const { signingKey } = generateKey()
    const copy = signingKey.slice()
    const context = openContext(setup(copy))
    expect(copy).toEqual(new Uint8Array(64))
    expect(secretsOf(signingKey).map(copiesInCore)).toContain(1)
    context.free()
    expect(secretsOf(signingKey).map(copiesInCore)).toEqual([0, 0, 0])
  })
})
