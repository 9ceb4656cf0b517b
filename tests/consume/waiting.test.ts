// @internal: a broker shows its bounds, of bytes and of seconds, only after minutes
// @own-process: it stops the clock
// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ParkedMessages } from '../../dist/verifying/consume/parked-messages.js'

type Arrival = Parameters<ParkedMessages['add']>[0]

function arrival(length = 100) {
  const one = { message: new Uint8Array(length), withdrawn: false, isAside: false, setAside: () => {} }
  one.setAside = () => {
    one.isAside = true
  }
  return one as typeof one & Arrival
}

const roomOf = (prefetch = 65_535, maxObserved = 65_535) =>
  new ParkedMessages(() => ({ prefetch, maxObserved }))
const many = (count: number, length?: number) => Array.from({ length: count }, () => arrival(length))

describe('a message that waits for the lease of its signer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is delivered in order when the lease has arrived, even if messages of other signers still wait', () => {
    const [room, [a, b, other]] = [roomOf(), [arrival(), arrival(), arrival()] as const]
    expect([room.add(a, 'a'), room.add(other, 'b'), room.add(b, 'a')]).toEqual([true, true, true])
    expect(room.release('a')).toEqual([a, b])
    expect(room.release('a')).toEqual([])
    expect(room.release('b')).toEqual([other])
    expect(room.leftMs).toBeUndefined()
  })

  it('is marked as set aside by its property isAside', () => {
    const one = arrival()
    roomOf().add(one, 'a')
    expect(one.isAside).toBe(true)
  })

  // claim: trust-41
  it('is rejected after 10 seconds, and cannot wait a second time', () => {
    const [room, [one, later]] = [roomOf(), [arrival(), arrival()] as const]
    room.add(one, 'a')
    vi.advanceTimersByTime(4000)
    room.add(later, 'a')
    expect(room.leftMs).toBe(6000)
    vi.advanceTimersByTime(5999)
    expect(room.due()).toEqual([])
    vi.advanceTimersByTime(1)
    expect(room.leftMs).toBe(0)
    expect(room.due()).toEqual([one])
    expect(room.leftMs).toBe(4000)
    expect(room.add(one, 'a')).toBe(false)
    expect(room.release('a')).toEqual([later])
  })

  it('waits for at most 10 seconds in total, even if it waits again after a lease has arrived', () => {
    const [room, one] = [roomOf(), arrival()]
    room.add(one, 'a')
    vi.advanceTimersByTime(6000)
    expect(room.release('a')).toEqual([one])
    room.add(one, 'a')
    room.add(arrival(), 'b')
    expect(room.leftMs).toBe(4000)
    vi.advanceTimersByTime(4000)
    expect(room.due()).toEqual([one])
    expect(room.add(one, 'a')).toBe(false)
  })

  // claim: trust-42
  it.each([
    ['64 messages of one signer', 64, 100, () => 'a'],
    ['1,000 messages', 1000, 100, (at: number) => `${at}`],
    ['8 MiB', 8, 1024 * 1024, (at: number) => `${at}`],
  ])('is rejected if it is the oldest of more than %s', (_, most, length, signerOf) => {
    const [room, arrivals] = [roomOf(), many(most + 1, length)]
    for (const [at, one] of arrivals.slice(0, most).entries()) room.add(one, signerOf(at))
    expect(room.due()).toEqual([])
    expect(room.add(arrivals[most] as Arrival, signerOf(most))).toBe(true)
    expect(room.leftMs).toBe(0)
    expect(room.due()).toEqual([arrivals[0]])
  })

  it('counts towards the limit only until its delivery', () => {
    const room = roomOf()
    for (const one of many(20, 1024 * 1024)) {
      room.add(one, 'a')
      expect(room.release('a')).toEqual([one])
    }
    expect(room.due()).toEqual([])
  })

  it('is rejected before messages of other signers if too many messages of its signer wait', () => {
    const [room, first, own] = [roomOf(), arrival(), many(65)]
    room.add(first, 'first')
    for (const one of own) room.add(one, 'own')
    expect(room.due()).toEqual([own[0]])
  })

  // claim: trust-43, threats-91
  it.each([
    [2000, 65_535, 1000],
    [64, 65_535, 32],
    [7, 65_535, 3],
    [64, 20, 10],
    // Until more messages have arrived, the limit assumes the smallest window of common brokers.
    [64, 1, 5],
    [4, 1, 2],
  ])(
    'is rejected if it is the oldest of more messages than the limit: prefetch %i, at most %i seen in flight, limit %i',
    (prefetch, maxObserved, most) => {
      const room = roomOf(prefetch, maxObserved)
      const arrivals = many(most + 1)
      for (const [at, one] of arrivals.entries()) room.add(one, `${at}`)
      expect(room.due()).toEqual([arrivals[0]])
    },
  )

  it('is at most 8 MiB long, and waits only if prefetch is more than 1', () => {
    expect(roomOf(1).add(arrival(), 'a')).toBe(false)
    expect(roomOf().add(arrival(8 * 1024 * 1024 + 1), 'a')).toBe(false)
    expect(roomOf().add(arrival(8 * 1024 * 1024), 'a')).toBe(true)
  })

  it('is forgotten when the connection is lost, after which the broker redelivers it', () => {
    const [room, [one, other]] = [roomOf(), [arrival(), arrival()] as const]
    room.add(one, 'a')
    room.add(other, 'b')
    one.withdrawn = true
    expect(room.release('a')).toEqual([])
    vi.advanceTimersByTime(10_000)
    expect(room.due()).toEqual([other])
  })
})
