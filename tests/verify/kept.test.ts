// A caller may reuse its memory as soon as it has made the call.

import { generateKey, Keyring, loadAlgorithms, source, verifyBatch, verifyMessage } from 'alvarium-sdk'
import { expect, it } from 'vitest'
import { patient, payloads } from '../support/batches.js'
import { quiet } from '../support/deferred.js'
import { key, keyring, opened } from '../support/sdk.js'
import { countedTurns } from '../support/turns.js'

const payload = new Uint8Array(100).fill(7)

async function messageOf(signingKey: Uint8Array | string = key.signingKey): Promise<Uint8Array> {
  const { sdk } = await opened([source()], { signingKey })
  const { message } = await sdk.create(payload)
  await sdk.close()
  return message
}

/** Returns whether a message and its payload verify although both are overwritten right after the call. */
async function isVerified(
  message: Uint8Array,
  trusted: Keyring | readonly (string | Uint8Array)[],
): Promise<boolean> {
  const [own, about] = [Uint8Array.from(message), Uint8Array.from(payload)]
  const verifying = verifyMessage(own, { keyring: trusted, payload: about })
  own.fill(0)
  about.fill(0)
  return (await verifying).payloadChecked
}

it('a single message is verified as it was at the time of the call, even if the caller overwrites it later', async () => {
  await quiet()
  expect(await isVerified(await messageOf(), keyring)).toBe(true)
})

it('a message among many others is verified as it was at the time of the call, even if the caller overwrites it later', async () => {
  const message = await messageOf()
  const turns = await countedTurns(0.5)
  const all = Array.from({ length: 100 }, () => isVerified(message, keyring))
  expect(await Promise.all(all)).toEqual(all.map(() => true))
  turns.end()
})

it('a message is verified as it was at the time of the call, even if it is overwritten while public keys are read', async () => {
  const strangers = Array.from({ length: 100 }, () => generateKey().verifyingKey)
  expect(await isVerified(await messageOf(), [...strangers, key.verifyingKey])).toBe(true)
  expect(await isVerified(await messageOf(), await Keyring.from([...strangers, key.verifyingKey]))).toBe(true)
  expect(await isVerified(await messageOf(), new Keyring([...strangers, key.verifyingKey]))).toBe(true)
})

it('a message signed with P-256 is verified as it was at the time of the call, even if the caller overwrites it later', async () => {
  await loadAlgorithms()
  const { signingKey, verifyingKey } = await generateKey({ algorithm: 'P-256' })
  expect(await isVerified(await messageOf(signingKey), new Keyring([verifyingKey]))).toBe(true)
})

it('a large batch is verified as it was at the time of the call, even if the caller overwrites it later', async () => {
  const { sdk, stream } = await opened([source()], {
    batch: { ...patient, maxBundles: 2000, maxBytes: 2 ** 23 },
  })
  await Promise.all(payloads(2000).map((one) => sdk.create(one)))
  await sdk.close()
  const own = stream.messages[0] as Uint8Array
  expect(own.length).toBeGreaterThan(256 * 1024)
  const verifying = verifyBatch(own, { keyring })
  own.fill(0)
  expect(await verifying).toHaveLength(2000)
})
