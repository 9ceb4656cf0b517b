// @node-only: it watches Node's signatures
// @own-process

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import {
  AlvariumError,
  generateKey,
  Keyring,
  loadAlgorithms,
  memory,
  openSdk,
  type SdkOptions,
  signBytes,
  source,
  verifyBytes,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { checkpoints, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { pool } from 'alvarium-sdk/pool'
import { leased, readTrust } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'

const { sign, verify } = crypto
const calls = { sign: 0, verify: 0 }

/** Counts the calls, which the real functions answer. */
beforeAll(async () => {
  crypto.sign = ((...given: Parameters<typeof sign>) => {
    calls.sign++
    return sign(...given)
  }) as typeof sign
  crypto.verify = ((...given: Parameters<typeof verify>) => {
    calls.verify++
    return verify(...given)
  }) as typeof verify
  syncBuiltinESMExports()
  await loadAlgorithms()
})
afterAll(() => {
  Object.assign(crypto, { sign, verify })
  syncBuiltinESMExports()
})
beforeEach(() => Object.assign(calls, { sign: 0, verify: 0 }))

const keys = [
  ['Ed25519', () => generateKey()],
  ['P-256', () => generateKey({ algorithm: 'P-256' })],
] as const

/** Returns the messages of three calls of an SDK that signs by the platform. */
async function messagesOf(options: Pick<SdkOptions, 'signingKey'> & Partial<SdkOptions>) {
  const stream = memory()
  const sdk = await openSdk({ annotators: [source()], stream, engine: 'host', ...options })
  await Promise.all(['a', 'b', 'c'].map((payload) => sdk.create(utf8(payload))))
  await sdk.close()
  return stream.messages
}

describe.each(keys)('with %s and the engine "host",', (_, makeKey) => {
  it('an SDK signs bundles and batches with the cryptography of the platform, and both engines verify them', async () => {
    const { signingKey, verifyingKey } = await makeKey()
    const alone = await messagesOf({ signingKey })
    expect(calls.sign).toBe(3)
    const batch = await messagesOf({ signingKey, batch: { maxDelayMs: 60_000, maxBundles: 3 } })
    expect(calls).toEqual({ sign: 4, verify: 0 })
    const messages = [...alone, ...batch]
    expect(messages).toHaveLength(4)
    for (const engine of ['wasm', 'host'] as const) {
      const keyring = new Keyring([verifyingKey], { engine })
      const verified = await verifyMessages(messages, { keyring })
      expect(verified.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'))
    }
    expect(calls.verify).toBeGreaterThanOrEqual(4)
  })

  it('a keyring refuses altered messages and unknown signers with the same errors as with the engine "wasm"', async () => {
    const [known, other] = [await makeKey(), await makeKey()]
    const [message] = await messagesOf({ signingKey: known.signingKey })
    const altered = utf8(new TextDecoder().decode(message).replace('"create"', '"mutate"'))
    for (const [one, text] of [
      [altered, known],
      [message, other],
    ] as const) {
      const outcome = async (engine: 'wasm' | 'host') => {
        const keyring = new Keyring([text.verifyingKey], { engine })
        const error = await verifyMessage(one as Uint8Array, { keyring }).catch((error) => error)
        return { code: error.code, message: error.message, signer: error.signer }
      }
      expect(await outcome('host')).toEqual(await outcome('wasm'))
    }
  })

  it('the workers of a pool sign and verify with the cryptography of the platform', async () => {
    const { signingKey, verifyingKey } = await makeKey()
    await using workers = await pool({ workers: 1 })
    const messages = await messagesOf({ signingKey, pool: workers })
    const keyring = new Keyring([verifyingKey], { engine: 'host' })
    const verified = await verifyMessages(messages, { keyring, pool: workers })
    expect(verified.map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'))
    // This thread made no call: except for the core, the workers did all of the work.
    expect(calls).toEqual({ sign: 0, verify: 0 })
  })

  it('a key that was deleted from a keyring is unknown, and an added key is known', async () => {
    const { signingKey, verifyingKey, keyId } = await makeKey()
    const [message = utf8('')] = await messagesOf({ signingKey })
    const keyring = new Keyring([verifyingKey], { engine: 'host' })
    await verifyMessage(message, { keyring })
    keyring.delete(keyId)
    await expect(verifyMessage(message, { keyring })).rejects.toMatchObject({ code: 'SIGNER_UNKNOWN' })
    keyring.add(verifyingKey)
    await verifyMessage(message, { keyring })
  })
})

describe('the option engine', () => {
  it('with the value "host", makes the platform verify leases and messages that were signed under leases', async () => {
    const { signingKey, verifyingKey } = generateKey()
    const leases: Uint8Array[] = []
    const onLease = (lease: Uint8Array) => leases.push(lease)
    const [message = utf8('')] = await messagesOf({ signingKey: leased(signingKey, { onLease }) })
    expect(calls.sign).toBe(3)
    const signers = [{ name: 'edge-7', keys: [Buffer.from(verifyingKey).toString('hex')] }]
    const trust = await readTrust({ signers }, { engine: 'host' })
    await trust.update({ signers })
    calls.verify = 0
    const bundle = await verifyMessage(message, { keyring: trust, leases })
    expect(bundle.signedBy?.name).toBe('edge-7')
    // Two signatures of the lease, and one of the message.
    expect(calls.verify).toBeGreaterThanOrEqual(3)
  })

  it('with the value "host", makes the platform sign and verify checkpoints', async () => {
    const { signingKey, verifyingKey } = generateKey()
    const stream = memory()
    await messagesOf({ signingKey, checkpoints: checkpoints({ stream }) })
    const made = calls.sign
    expect(made).toBeGreaterThan(3)
    const [note = utf8('')] = stream.messages
    await verifyCheckpoint(note, { keyring: new Keyring([verifyingKey], { engine: 'host' }) })
    expect(calls.verify).toBeGreaterThan(0)
  })

  it.each(['secp256k1', 'SM2'] as const)(
    'with the value "host", is refused with a %s key, because no platform supports the algorithm',
    async (name) => {
      const { signingKey, verifyingKey } = await generateKey({ algorithm: name })
      const refused = { code: 'CONFIG_INVALID', message: expect.stringContaining(name) }
      const engine = 'host'
      const functions = [
        () => signBytes(signingKey, utf8('a'), { engine }),
        () => verifyBytes(verifyingKey, utf8('a'), new Uint8Array(64), { engine }),
        () => new Keyring([verifyingKey], { engine }),
        () => openSdk({ signingKey, annotators: [], stream: memory(), engine }),
      ]
      for (const call of functions) await expect((async () => call())()).rejects.toMatchObject(refused)
    },
  )

  it('is refused by each call if it names an unknown engine', async () => {
    const { signingKey, verifyingKey } = generateKey()
    const engine = 'gpu' as 'host'
    const functions = [
      () => signBytes(signingKey, utf8('a'), { engine }),
      () => verifyBytes(verifyingKey, utf8('a'), new Uint8Array(64), { engine }),
      () => new Keyring([verifyingKey], { engine }),
      () => readTrust({ signers: [] }, { engine }),
    ]
    for (const call of functions) await expect((async () => call())()).rejects.toThrow(AlvariumError)
  })
})
