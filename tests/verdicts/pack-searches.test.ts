// Messages of the other SDKs in a pack name no keys, so strangers could make a reader try all of its keys for each.

import { classic, generateKey, memory, openSdk, type SigningKeyInput, source } from 'alvarium-sdk'
import { verifyPack } from 'alvarium-sdk/packs'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { packed, signer } from '../support/packs.js'

async function classicMessage(signingKey: SigningKeyInput, host: string): Promise<Uint8Array> {
  const stream = memory()
  const codec = classic({ signingKey })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, host, codec })
  await sdk.create(utf8(host))
  await sdk.close()
  return stream.messages[0] as Uint8Array
}

// claim: format-63
it('verifyPack tries at most 2,048 wrong keys for all classic messages of a pack together, and one more for each message', async () => {
  const [first, second, stranger] = [generateKey(), generateKey(), generateKey()]
  const others = Array.from({ length: 1498 }, () => generateKey().verifyingKey)
  const keyring = [...others, first.verifyingKey, second.verifyingKey]
  const messages = [
    await classicMessage(first.signingKey, 'edge-1'), // the first search is always made
    await classicMessage(stranger.signingKey, 'edge-2'), // 550 trials are left
    await classicMessage(second.signingKey, 'edge-3'),
    await classicMessage(first.signingKey, 'edge-1'),
  ]
  const { trust } = signer()
  const { bytes } = await packed(messages, { about: { query: 'all' }, trust })
  const { verdict, faults } = await verifyPack(bytes, { keyring })
  expect(verdict.lines.messages).toEqual({ verified: 2, refused: 0, unknownSigner: 2 })
  expect(faults.map(({ line, error }) => [line, error.code])).toEqual([
    [2, 'SIGNER_UNKNOWN'],
    [3, 'SIGNER_UNKNOWN'],
  ])
  expect(faults[1]?.error.message).toContain('no answer after too many failed searches')
})

it('verifyPack remembers four signers of each host, and searches all keys again for a message of a fifth signer', async () => {
  const signers = Array.from({ length: 5 }, () => generateKey())
  const others = Array.from({ length: 395 }, () => generateKey().verifyingKey)
  const keyring = [...others, ...signers.map(({ verifyingKey }) => verifyingKey)]
  // Five searches leave 48 trials of 2,048, and the one that each message brings.
  const order = [...signers, ...signers]
  const messages = await Promise.all(order.map(({ signingKey }) => classicMessage(signingKey, 'edge-1')))
  const { bytes } = await packed(messages, { about: { query: 'all' }, trust: signer().trust })
  const { verdict, faults } = await verifyPack(bytes, { keyring })
  expect(verdict.lines.messages).toEqual({ verified: 9, refused: 0, unknownSigner: 1 })
  expect(faults.map(({ line, error }) => [line, error.code])).toEqual([[10, 'SIGNER_UNKNOWN']])
})
