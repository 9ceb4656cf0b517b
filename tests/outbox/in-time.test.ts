// @own-process: it stops the clock
// @node-only: it stops the clock, and the order that it shows is the same in every engine

import { AlvariumError } from 'alvarium-sdk'
import { expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { hurry } from '../support/hurry.js'
import { opened, outgoing } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'

// claim: delivery-80
it('an outbox sends the next messages after its first attempt to send a message has timed out without an answer', async () => {
  const stream = outgoing((text) => (text === 'a' ? new Promise(() => {}) : undefined))
  const box = await opened({ stream, store: newPlace(), maxInFlight: 2, streamTimeoutMs: 5_000 })
  hurry()
  await box.publish(utf8('a'))
  await vi.waitFor(() => expect(stream.handed).toEqual(['a', 'a']))
  await (await box.publish(utf8('b'))).delivered
  expect(stream.handed).toEqual(['a', 'a', 'b'])
})

it('an outbox sends the next messages after a message has failed four times', async () => {
  const away = new AlvariumError('STREAM_UNAVAILABLE', 'not now')
  const stream = outgoing((text) => (text === 'a' ? away : undefined))
  const box = await opened({ stream, store: newPlace(), maxInFlight: 2 })
  await box.publish(utf8('a'))
  await vi.waitFor(() => expect(stream.handed).toEqual(['a']))
  const { delivered } = await box.publish(utf8('b'))
  hurry()
  await delivered
  expect(stream.handed.slice(0, stream.handed.indexOf('b'))).toEqual(['a', 'a', 'a', 'a', 'a'])
})
