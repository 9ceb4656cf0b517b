// @node-only: it is about Node's Buffer

import {
  type Engine,
  type HashName,
  keyOf,
  openSdk,
  type Signer,
  signBytes,
  source,
  verifyMessage,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { genuineMessages, payload } from '../support/messages.js'
import { queueWith } from '../support/queues.js'
import { key, keyring, opened } from '../support/sdk.js'

const ENGINES: Engine[] = ['wasm', 'host', 'auto']
const HASHES: HashName[] = ['sha256', 'md5', 'none']

/** Node's Buffer is a Uint8Array whose `slice` makes no copy, and whose memory is often a shared pool. */
describe('a Node Buffer is accepted like any Uint8Array', () => {
  it('as the payload of every action', async () => {
    const { sdk } = await opened([source()])
    const buffer = Buffer.from(payload)
    const calls = [sdk.create(buffer), sdk.transit(buffer), sdk.publish(buffer), sdk.mutate(buffer, buffer)]
    const keys = (await Promise.all(calls)).map(({ bundle }) => bundle.key)
    expect(new Set(keys)).toEqual(new Set([keyOf(payload)]))
  })

  it.each(ENGINES.flatMap((engine) => HASHES.map((hash) => ({ engine, hash }))))(
    'as a payload that the caller overwrites while annotators run: $engine $hash',
    async ({ engine, hash }) => {
      const isSatisfied = () => new Promise<boolean>((done) => setTimeout(done, 5, true))
      const { sdk } = await opened([{ kind: 'thoughtful', isSatisfied }], { engine, hash })
      for (const size of [20, 2000]) {
        const buffer = Buffer.alloc(size, 'a')
        const pending = sdk.create(buffer)
        buffer.fill('x')
        expect((await pending).bundle.key).toBe(keyOf(new Uint8Array(size).fill(0x61), hash))
      }
    },
  )

  it('as a message to verify', async () => {
    const { mutate } = await genuineMessages()
    const verified = await verifyMessage(mutate, { keyring })
    expect(await verifyMessage(Buffer.from(mutate), { keyring })).toEqual(verified)
  })

  it('as the signature of a signer', async () => {
    const sign: Signer['sign'] = (identity) => Buffer.from(signBytes(key.signingKey, identity))
    const signingKey = { verifyingKey: key.verifyingKey, sign }
    await using sdk = await openSdk({ signingKey, annotators: [], stream: { publish: () => {} } })
    const { message } = await sdk.create(payload)
    expect((await verifyMessage(message, { keyring })).signer).toBe(key.keyId)
  })

  it('by the queue of mqtt, which sends the bytes of the Buffer and not the pool around them', async () => {
    const queue = queueWith()
    const sent: Uint8Array[] = []
    const send = (_topic: string, { message }: { message: Uint8Array }, done: () => void) => {
      sent.push(message)
      done()
    }
    queue.attach({ window: 1, send, drop: () => {} })
    await queue.add(Buffer.from('pooled'))
    expect(sent.map((message) => message.buffer.byteLength)).toEqual([6])
  })
})
