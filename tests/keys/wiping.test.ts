// @alone

import { sha512 } from '@noble/hashes/sha2.js'
import {
  classic,
  generateKey,
  type Jwk,
  loadAlgorithms,
  memory,
  openSdk,
  signBytes,
  source,
  toHex,
  type WorkerPool,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { latin1, utf8 } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { algorithmsMemory, coreBuffer, trapCore } from '../support/core-memory.js'
import { failure } from '../support/failure.js'
import { openSealer } from '../support/group-requests.js'
import { privateKeyOf } from '../support/key-forms.js'
import { opened } from '../support/sdk.js'

const payload = utf8('hello')
const noBroker = { connect: () => Promise.reject(new Error('no broker')), publish: () => {} }

function withWrongHalf(signingKey: Uint8Array): Uint8Array {
  const wrong = signingKey.slice()
  wrong[40] = (wrong[40] as number) ^ 1
  return wrong
}

/** Returns the seed, and the two halves of its expansion (RFC 8032 §5.1.5): each of them is as useful as the key. */
function secretsOf(signingKey: Uint8Array): Uint8Array[] {
  const seed = signingKey.subarray(0, 32)
  const expanded = sha512(seed)
  return [seed, expanded.subarray(0, 32), expanded.subarray(32)]
}

/** Returns the memory that a debugger or a crash dump shows; an empty one before the first key. */
const algorithmsBuffer = () => algorithmsMemory()?.buffer ?? new ArrayBuffer(0)

function copiesInCore(secret: Uint8Array): number {
  return copiesIn(new Uint8Array(coreBuffer()), secret)
}

function copiesIn(memory: Uint8Array, secret: Uint8Array): number {
  return latin1(memory).split(latin1(secret)).length - 1
}

it('the private key of an open SDK can be found in the memory of the WebAssembly core', async () => {
  const { signingKey } = generateKey()
  const { sdk } = await opened([source()], { signingKey })
  expect(secretsOf(signingKey).map(copiesInCore)).toContain(1)
  await sdk.close()
})

// claim: trust-61
it.each<[string, (signingKey: Uint8Array) => unknown]>([
  ['a key was generated', () => {}],
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
    'an SDK that stays open has rotated its key',
    async (signingKey) => {
      const { sdk } = await opened([source()], { signingKey })
      onTestFinished(() => sdk.close())
      await sdk.create(payload)
      await sdk.rotate(generateKey().signingKey)
      await sdk.create(payload)
    },
  ],
  [
    'an SDK with checkpoints that stays open has rotated its key',
    async (signingKey) => {
      const { sdk } = await loggedSdk({ signingKey })
      onTestFinished(() => sdk.close())
      await sdk.create(payload)
      await sdk.rotate(generateKey().signingKey)
    },
  ],
  [
    'an SDK has refused to rotate to an invalid key',
    async (signingKey) => {
      const { sdk } = await opened([source()], { signingKey: generateKey().signingKey })
      onTestFinished(() => sdk.close())
      await failure(() => sdk.rotate(withWrongHalf(signingKey)))
    },
  ],
  [
    'simultaneous calls were sealed',
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
    'the tag was too long for a bundle',
    (signingKey) => failure(() => opened([source()], { signingKey, tag: 'x'.repeat(2000) })),
  ],
  [
    'opening failed because the pool was closed',
    async (signingKey) => {
      const workers = await pool({ workers: 1 })
      await workers.close()
      await failure(() => opened([source()], { signingKey, pool: workers }))
    },
  ],
  [
    'opening failed because the public half belongs to another key',
    (signingKey) =>
      failure(() => openSdk({ signingKey: withWrongHalf(signingKey), annotators: [], stream: memory() })),
  ],
])('after %s, nothing of the private key remains in the memory of the WebAssembly core', async (_, act) => {
  const { signingKey } = generateKey()
  await act(signingKey)
  expect(secretsOf(signingKey).map(copiesInCore)).toEqual([0, 0, 0])
})

it.each([
  ['in hexadecimal', toHex],
  ['as a seed', (key: Uint8Array) => ({ seed: toHex(key.subarray(0, 32)) })],
  ['in PEM', async (key: Uint8Array) => (await privateKeyOf(key.slice(0, 32))).pem],
  ['in JWK', async (key: Uint8Array) => (await privateKeyOf(key.slice(0, 32))).jwk as Jwk],
])('a buffer into which a key was read %s is wiped, even when a pool is used', async (_, form) => {
  await using workers = await pool({ workers: 1 })
  const signingKey = await form(generateKey().signingKey)
  const encode = vi.spyOn(TextEncoder.prototype, 'encodeInto')
  const { sdk } = await opened([source()], { signingKey, pool: workers })
  await sdk.close()
  // The text of bundles also goes through the encoder, into the core's memory.
  const read = encode.mock.calls.map(([, bytes]) => bytes).filter(({ buffer }) => buffer !== coreBuffer())
  encode.mockRestore()
  expect(read.length).toBeGreaterThan(0)
  expect(read.flatMap((bytes) => [...bytes]).every((byte) => byte === 0)).toBe(true)
})

// claim: threats-32
it('after a trap in the WebAssembly core, nothing of the private keys remains in the memory that it replaces', async () => {
  const { signingKey } = generateKey()
  const { sdk } = await opened([source()], { signingKey })
  const memory = new Uint8Array(coreBuffer())
  expect(secretsOf(signingKey).map((secret) => copiesIn(memory, secret))).toContain(1)
  expect(trapCore()).toMatchObject({ code: 'CORE_FAILED' })
  expect(memory.every((byte) => byte === 0)).toBe(true)
  await sdk.close()
})

it.each(['Ed25519', 'P-256', 'SM2'] as const)(
  'when signing with %s exhausts the stack, nothing of the private key remains in memory',
  async (algorithm) => {
    await loadAlgorithms()
    const { signingKey } = await (algorithm === 'Ed25519' ? generateKey() : generateKey({ algorithm }))
    // The scalar begins at byte 33 or 36 of our PKCS#8.
    const secrets =
      algorithm === 'Ed25519' ? secretsOf(signingKey) : [signingKey.slice(33, 65), signingKey.slice(36, 68)]
    const sign = (depth: number): unknown => (depth === 0 ? signBytes(signingKey, payload) : sign(depth - 1))
    const fails = (depth: number) => {
      try {
        sign(depth)
        return false
      } catch {
        return true
      }
    }
    let depth = 500
    while (!fails(depth)) depth += 100
    // Much deeper calls fail before a secret enters the core. At these depths, a call may end anywhere.
    const looked = []
    for (depth -= 200; looked.length < 40; depth++) {
      if (!fails(depth)) continue
      const memories = [coreBuffer(), algorithmsBuffer()].map((buffer) => new Uint8Array(buffer))
      looked.push(
        ...secrets.map((secret) => memories.reduce((sum, memory) => sum + copiesIn(memory, secret), 0)),
      )
    }
    expect(looked).toEqual(looked.map(() => 0))
  },
)

describe('the stack of the WebAssembly core', () => {
  /**
   * Returns the number of bytes left at the end of the stack. It ends at the first MiB, because rustc has the linker
   * put it before all other memory.
   */
  const left = () => new Uint8Array(coreBuffer()).subarray(960 * 1024, 1024 * 1024).filter(Boolean).length
  const own = 16

  it('contains data after a create(), which shows that the next tests would find remains', async () => {
    const { sdk } = await opened([source()])
    await sdk.create(payload)
    expect(left()).toBeGreaterThan(500)
    await sdk.close()
  })

  it.each<[string, (signingKey: Uint8Array) => unknown]>([
    ['a key was generated', () => generateKey()],
    ['bytes were signed', (signingKey) => signBytes(signingKey, payload)],
    [
      'signing failed because the public half belongs to another key',
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

describe('the copy of a private key that a pool keeps for its workers', () => {
  /** Returns the copy in the pool's set-up for its workers; each worker gets a copy of that. */
  const copyIn = ({ mock }: { readonly mock: { readonly calls: { signingKey: Uint8Array }[][] } }) => {
    const [[setup] = []] = mock.calls
    if (!setup) throw new Error('expected the pool to be given a key')
    return setup.signingKey
  }
  const spied = (workers: WorkerPool) =>
    vi.spyOn(workers as unknown as { open(setup: { signingKey: Uint8Array }): unknown }, 'open')
  const isWiped = (bytes: Uint8Array) => bytes.length > 0 && bytes.every((byte) => byte === 0)

  // claim: security-4
  it('exists while the SDK is open, and is wiped when the SDK is closed', async () => {
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

  it('is wiped when sdk.rotate() resolves', async () => {
    await using workers = await pool({ workers: 1 })
    const opening = spied(workers)
    const { sdk } = await opened([source()], { pool: workers })
    await sdk.create(payload)
    await sdk.rotate(generateKey().signingKey)
    const [before, after] = opening.mock.calls.map(([setup]) => setup.signingKey)
    expect([before, after].map((copy) => isWiped(copy as Uint8Array))).toEqual([true, false])
    await sdk.close()
  })

  it('is wiped when an SDK is opened with a closed pool', async () => {
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

  it('is wiped as soon as the WebAssembly core has copied it, and the copy in the core is wiped by free()', () => {
    const { signingKey } = generateKey()
    const copy = signingKey.slice()
    const sealer = openSealer(setup(copy))
    expect(copy).toEqual(new Uint8Array(64))
    expect(secretsOf(signingKey).map(copiesInCore)).toContain(1)
    sealer.free()
    expect(secretsOf(signingKey).map(copiesInCore)).toEqual([0, 0, 0])
  })
})
