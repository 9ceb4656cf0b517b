import { openSdk, source } from 'alvarium-sdk'
import { type OutboxStore, outbox } from 'alvarium-sdk/outbox'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { memoryStore } from '../support/outbox-store.js'
import { absent } from '../support/outgoing.js'
import { key } from '../support/sdk.js'

const SHORT_MS = 20
const never = () => new Promise<never>(() => {})
const { signingKey } = key

/** Returns options of an SDK over an outbox whose store never answers one kind of call. */
const over = (fault: Partial<OutboxStore>) => ({
  signingKey,
  annotators: [source()],
  stream: outbox({ stream: absent(), store: { ...memoryStore(), ...fault }, closeTimeoutMs: SHORT_MS }),
})

it('an outbox waits at most connectTimeoutMs for a store that never opens', async () => {
  const options = { ...over({ open: never }), connectTimeoutMs: SHORT_MS }
  expect(await codeOf(() => openSdk(options))).toBe('STREAM_TIMEOUT')
})

it('an outbox waits at most streamTimeoutMs for a store whose append() never resolves, and can then be closed', async () => {
  const sdk = await openSdk({ ...over({ append: never }), streamTimeoutMs: SHORT_MS })
  expect(await codeOf(() => sdk.create(utf8('a')))).toBe('STREAM_TIMEOUT')
  await sdk.close()
})

it.each([
  ['append', { append: never }],
  ['read', { read: never }],
  ['deleteThrough', { deleteThrough: never }],
  ['close', { close: never }],
  ['mark', { mark: never }],
])('an outbox closes in time if %s() of its store never answers', async (_, fault) => {
  const { stream } = over(fault)
  await stream.connect()
  const storing = stream.publish(utf8('a')).catch(() => {})
  await stream.close()
  void storing
})
