import { AlvariumError } from 'alvarium-sdk'
import { outbox, type SetAsideEvent } from 'alvarium-sdk/outbox'
import { describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { memoryStore } from '../support/outbox-store.js'
import { droppedBy, opened, outgoing } from '../support/outgoing.js'
import { closing } from '../support/receiving.js'

const suspect = new AlvariumError('STREAM_SUSPECT', 'the broker hangs up')
const hangingUp = () => outgoing((text) => (text.startsWith('poison') ? suspect : undefined))
const unknownId = new RangeError('id: expected the id of a message that is set aside, got 1')

async function withPoison() {
  const store = memoryStore()
  const append = vi.spyOn(store, 'append')
  const stream = hangingUp()
  const box = await opened({ stream, store })
  await box.publish(utf8('poison'))
  await vi.waitFor(() => expect(box.stats().setAside).toBe(1))
  stream.answer = () => undefined
  append.mockClear()
  return { box, stream, append }
}

describe('two simultaneous calls for one message that is set aside', () => {
  it('send the message once if both are resend()', async () => {
    const { box, stream, append } = await withPoison()
    const said = await Promise.allSettled([box.resend(1), box.resend(1)])
    expect(said.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(said[1]).toMatchObject({ reason: unknownId })
    await vi.waitFor(() => expect(box.stored.messages).toBe(0))
    expect(stream.accepted).toEqual(['poison'])
    expect(append).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['resend', 'discard', ['poison']],
    ['discard', 'resend', []],
    ['discard', 'discard', []],
  ] as const)(
    'resolve only for the first call if they are %s() and then %s()',
    async (first, second, sent) => {
      const { box, stream } = await withPoison()
      const said = await Promise.allSettled([box[first](1), box[second](1)])
      expect(said.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
      await vi.waitFor(() => expect(box.stored.messages).toBe(0))
      expect([stream.accepted, box.stats().setAside]).toEqual([sent, 0])
    },
  )

  it('send the message by the second resend() if the first could not store the message', async () => {
    const { box, stream, append } = await withPoison()
    append.mockRejectedValueOnce(new Error('disk full'))
    const said = await Promise.allSettled([box.resend(1), box.resend(1)])
    expect(said.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(said[0]).toMatchObject({ reason: { code: 'STORE_FAILED' } })
    await vi.waitFor(() => expect(stream.accepted).toEqual(['poison']))
  })
})

it('a message that is being set aside is not dropped to make room', async () => {
  const store = memoryStore()
  const [asked, storing] = [deferred<void>(), deferred<void>()]
  const { put } = store.setAside
  store.setAside.put = async (number, record) => {
    asked.resolve()
    await storing.promise
    await put(number, record)
  }
  const box = closing(
    outbox({ stream: hangingUp(), store, maxBytes: 350, whenFull: 'drop-oldest', closeTimeoutMs: 50 }),
  )
  const dropped = droppedBy(box)
  const aside: string[] = []
  box.addEventListener('setaside', (event) =>
    aside.push(textOf((event as unknown as SetAsideEvent).message).trim()),
  )
  await box.connect()
  await box.publish(utf8('poison'.padEnd(100)))
  await asked.promise
  const next = box.publish(utf8('next'.padEnd(150)))
  const later = box.publish(utf8('later'))
  storing.resolve()
  await Promise.all([(await next).delivered, (await later).delivered])
  expect([aside, dropped, box.stats().setAside]).toEqual([['poison'], [], 1])
})

it('a message that the stream accepts late, while it is being set aside, counts as set aside', async () => {
  const store = memoryStore()
  const [asked, storing, late] = [deferred<void>(), deferred<void>(), deferred<void>()]
  const { put } = store.setAside
  store.setAside.put = async (number, record) => {
    asked.resolve()
    await storing.promise
    await put(number, record)
  }
  let attempts = 0
  const publish = () => (attempts++ === 0 ? late.promise : Promise.reject(suspect))
  const box = await opened({ stream: { publish }, store, streamTimeoutMs: 1 })
  const told = vi.fn()
  const { delivered } = await box.publish(utf8('poison'))
  delivered.then(told, () => {})
  await asked.promise
  late.resolve()
  await late.promise
  storing.resolve()
  await vi.waitFor(() => expect(box.stats().setAside).toBe(1))
  expect([told.mock.calls, box.stats().acknowledged, box.stored.messages]).toEqual([[], 0, 0])
})
