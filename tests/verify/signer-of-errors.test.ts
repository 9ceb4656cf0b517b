import {
  AlvariumError,
  generateKey,
  Keyring,
  keyIdOf,
  source,
  verifyBatch,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { verifyCheckpoint } from 'alvarium-sdk/completeness'
import { pool } from 'alvarium-sdk/pool'
import { sealSet, verifySet } from 'alvarium-sdk/sets'
import { describe, expect, it } from 'vitest'
import { patient, payloads } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { loggedSdk, messageOf, noteOf } from '../support/checkpoints.js'
import { key, keyring, lastOf, opened } from '../support/sdk.js'
import { trustOf } from '../support/trust.js'

const signer = keyIdOf(key.verifyingKey)
const p256 = await generateKey({ algorithm: 'P-256' })
const strangers = new Keyring([generateKey().verifyingKey, p256.verifyingKey])

async function messageAbout(text: string, signingKey = key.signingKey): Promise<Uint8Array> {
  const { sdk, stream } = await opened([source()], { signingKey })
  await sdk.create(utf8(text))
  await sdk.close()
  return lastOf(stream)
}

function altered(message: Uint8Array): Uint8Array {
  return utf8(new TextDecoder().decode(message).replaceAll('edge-7', 'edge-8'))
}

async function told(act: () => Promise<unknown>): Promise<[code: string, signer: string | undefined]> {
  const error = await act().then(
    () => undefined,
    (reason) => reason,
  )
  if (!(error instanceof AlvariumError)) throw error ?? new Error('expected an error, got none')
  return [error.code, error.signer]
}

const message = await messageAbout('21.4')

describe('the error of a message that does not verify', () => {
  it('names the signer if the signer is unknown', async () => {
    expect(await told(() => verifyMessage(message, { keyring: strangers }))).toEqual([
      'SIGNER_UNKNOWN',
      signer,
    ])
    expect(await told(() => verifyBatch(message, { keyring: strangers }))).toEqual(['SIGNER_UNKNOWN', signer])
  })

  it('names the signer if the message was altered', async () => {
    const outcome = await told(() => verifyMessage(altered(message), { keyring }))
    expect(outcome).toEqual(['SIGNATURE_INVALID', signer])
  })

  it('names the signer if the message is about another payload than the given bytes or Blob', async () => {
    for (const payload of [utf8('21.5'), new Blob(['21.5'])]) {
      expect(await told(() => verifyMessage(message, { keyring, payload }))).toEqual([
        'PAYLOAD_MISMATCH',
        signer,
      ])
    }
  })

  it('names the signer if the message was verified with other messages, or by a pool', async () => {
    await using workers = await pool({ workers: 1 })
    for (const options of [{}, { pool: workers }]) {
      const outcomes = await verifyMessages([message, altered(message)], { ...options, keyring })
      expect(outcomes.map((one) => one.status === 'rejected' && one.reason.signer)).toEqual([false, signer])
    }
    expect(await told(() => verifyMessage(message, { keyring: strangers, pool: workers }))).toEqual([
      'SIGNER_UNKNOWN',
      signer,
    ])
  })

  it('names the signer of a batch of 2,000 bundles, which is verified in parts', async () => {
    const { sdk, stream } = await opened([source()], {
      batch: { ...patient, maxBundles: 2_000, maxBytes: 2 ** 23 },
    })
    await sdk.createMany(payloads(2_000))
    await sdk.close()
    const batch = lastOf(stream)
    expect(await told(() => verifyBatch(batch, { keyring: strangers }))).toEqual(['SIGNER_UNKNOWN', signer])
    expect(await told(() => verifyBatch(altered(batch), { keyring }))).toEqual(['SIGNATURE_INVALID', signer])
  })

  it('names the signer if the signer has a P-256 key', async () => {
    const foreign = altered(await messageAbout('21.4', p256.signingKey))
    const trusting = { keyring: new Keyring([p256.verifyingKey]) }
    expect(await told(() => verifyMessage(foreign, trusting))).toEqual([
      'SIGNATURE_INVALID',
      keyIdOf(p256.verifyingKey),
    ])
  })

  it('names the signer if the trust policy never permits the statement, or does not permit it at the time of the message', async () => {
    const rules = [
      [{ hosts: ['gateway'] }, 'SIGNER_NOT_ALLOWED'],
      [{ until: '2020-01-01T00:00:00Z' }, 'SIGNER_EXPIRED'],
      [{ revoked: { since: '2020-01-01T00:00:00Z' } }, 'SIGNER_REVOKED'],
    ] as const
    for (const [rule, code] of rules) {
      const trust = await trustOf(rule)
      expect(await told(() => verifyMessage(message, { keyring: trust }))).toEqual([code, signer])
    }
  })

  it('names the signer if the message is a checkpoint', async () => {
    const { sdk, notes, keyring: own } = await loggedSdk()
    await sdk.create(utf8('21.4'))
    await sdk.close()
    const note = notes.at(-1) as Uint8Array
    const id = keyIdOf(own[0] as Uint8Array)
    expect(await told(() => verifyCheckpoint(note, { keyring: strangers }))).toEqual(['SIGNER_UNKNOWN', id])
    const other = messageOf(noteOf(note).replace('number 1', 'number 2'))
    expect(await told(() => verifyCheckpoint(other, { keyring: own }))).toEqual(['SIGNATURE_INVALID', id])
  })

  it('names the signer if the message is a set', async () => {
    const { message: set } = await sealSet([utf8('21.4')], { signingKey: key.signingKey, name: 'training' })
    expect(await told(() => verifySet(set, { keyring: strangers }))).toEqual(['SIGNER_UNKNOWN', signer])
    const other = utf8(new TextDecoder().decode(set).replace('training', 'trailing'))
    expect(await told(() => verifySet(other, { keyring }))).toEqual(['SIGNATURE_INVALID', signer])
  })

  it('has an undefined signer if no signer could be read', async () => {
    expect(await told(() => verifyMessage(utf8('hello'), { keyring }))).toEqual([
      'MESSAGE_MALFORMED',
      undefined,
    ])
    expect(Object.keys(new AlvariumError('MESSAGE_MALFORMED', 'x'))).toEqual(['name', 'code'])
  })
})
