// @internal: a table of pairs of filters, of which brokers show only whether messages come twice
import { describe, expect, it } from 'vitest'
import {
  CopyDetector,
  covers,
  overlapping,
  withoutCoveredFilters,
} from '../../dist/transport/streams/mqtt/filters.js'
import { utf8 } from '../support/bytes.js'

describe('topic filters', () => {
  it.each([
    ['a/b', 'a/b'],
    ['a/+', 'a/b'],
    ['a/+', 'a/+'],
    ['+/b', 'a/b'],
    ['+', 'a'],
    ['a/#', 'a'],
    ['a/#', 'a/b/c'],
    ['a/#', 'a/+/c'],
    ['a/#', 'a/b/#'],
    ['#', 'a/b'],
    ['#', '/'],
    ['+/+', '/'],
    ['$SYS/#', '$SYS/load'],
    ['a/#', 'a/$b'],
  ])('"%s" covers "%s"', (wide, narrow) => {
    expect(covers(wide, narrow)).toBe(true)
  })

  it.each([
    ['a/b', 'a/c'],
    ['a/b', 'a'],
    ['a', 'a/b'],
    ['a/+', 'a'],
    ['a/+', 'a/b/c'],
    ['a/+', 'a/#'],
    ['+', '#'],
    ['a/b', 'a/+'],
    ['a/b', 'a/#'],
    ['a/#', 'b/a'],
    ['a/#', 'ab'],
    ['#', '$SYS/load'],
    ['+/load', '$SYS/load'],
  ])('"%s" does not cover "%s"', (wide, narrow) => {
    expect(covers(wide, narrow)).toBe(false)
  })
})

describe('a list of topic filters', () => {
  it.each([
    [
      ['a/b', 'a/+', 'c'],
      ['a/+', 'c'],
    ],
    [['a', 'a'], ['a']],
    [
      ['#', 'a/#', 'b', '$SYS/load'],
      ['#', '$SYS/load'],
    ],
    [
      ['a/+/c', '+/b/c', 'a/b/+'],
      ['a/+/c', '+/b/c', 'a/b/+'],
    ],
  ])('is reduced from %j to %j, without the filters that others cover', (filters, expected) => {
    expect(withoutCoveredFilters(filters)).toEqual(expected)
  })

  it.each([
    [
      ['a/+', '+/b', 'c/d'],
      ['a/+', '+/b'],
    ],
    [
      ['a/+/c', 'a/b/#', 'd'],
      ['a/+/c', 'a/b/#'],
    ],
    [
      ['a/#', 'a'],
      ['a/#', 'a'],
    ],
    [['a', 'a/+'], []],
    [['a/+', 'a'], []],
    [['a/b/+', 'a/c/+'], []],
    [['+/a', '+/b'], []],
    [['+/load', '$SYS/load'], []],
    [['$SYS/load', '#'], []],
    [
      ['$SYS/+', '$SYS/load'],
      ['$SYS/+', '$SYS/load'],
    ],
    [['a'], []],
  ])('given as %j has the overlapping filters %j', (filters, expected) => {
    expect(overlapping(filters)).toEqual(expected)
  })
})

describe('the copies of a message that overlapping MQTT filters cause', () => {
  const came = (copies: CopyDetector, text: string | Uint8Array, more: object = {}) =>
    copies.isCopy({
      cmd: 'publish',
      topic: 'a/b',
      qos: 1,
      retain: false,
      dup: false,
      payload: (typeof text === 'string' ? utf8(text) : text) as Buffer,
      ...more,
    })
  const named = (subscriptionIdentifier: number | number[]) => ({ properties: { subscriptionIdentifier } })

  it('are one fewer than the filters that match the topic', () => {
    const copies = new CopyDetector(['a/+', '+/b', 'a/#', 'c'])
    expect(Array.from({ length: 4 }, () => came(copies, 'x'))).toEqual([false, true, true, false])
  })

  it('are not expected if only one filter matches the topic', () => {
    const copies = new CopyDetector(['a/+', '+/b', 'c'])
    for (const topic of ['a/c', 'c']) {
      expect([came(copies, 'x', { topic }), came(copies, 'x', { topic })]).toEqual([false, false])
    }
  })

  it('are recognized only if they have the same topic and bytes', () => {
    const copies = new CopyDetector(['a/+', 'a/#'])
    expect([came(copies, 'x'), came(copies, 'y')]).toEqual([false, false])
    expect(came(copies, 'x', { topic: 'a/c' })).toBe(false)
    // A CopyDetector finds candidates by a sample of their bytes, and then compares all bytes.
    const [long, other] = [new Uint8Array(100), new Uint8Array(100).fill(1, 1, 2)]
    expect([came(copies, long), came(copies, other)]).toEqual([false, false])
    expect([came(copies, 'x'), came(copies, 'y')]).toEqual([true, true])
  })

  it('are not confused with a longer message that has the same lookup key', () => {
    const copies = new CopyDetector(['a/+', 'a/#'])
    const [one, other] = [new Uint8Array(16), new Uint8Array(17)]
    expect([came(copies, one), came(copies, other), came(copies, one)]).toEqual([false, false, true])
  })

  it('are recognized only if their subscription identifiers differ, or if they have none', () => {
    const copies = new CopyDetector(['a/+', '+/b', 'a/#'])
    expect(came(copies, 'x', named(1))).toBe(false)
    expect(came(copies, 'x', named(2))).toBe(true)
    // Subscription 2 has already delivered the message, so this is a second publication: one copy may follow.
    expect(came(copies, 'x', named([2, 3]))).toBe(false)
    expect(came(copies, 'x', named(1))).toBe(true)
    expect(came(copies, 'x', named(1))).toBe(false)
  })

  it('are recognized for the newest 256 messages', () => {
    const texts = Array.from({ length: 257 }, (_, at) => `message ${at}`)
    const [full, over] = [256, 257].map((count) => {
      const copies = new CopyDetector(['a/+', 'a/#'])
      for (const text of texts.slice(0, count)) came(copies, text)
      return copies
    })
    expect(full && came(full, 'message 0')).toBe(true)
    expect(over && [came(over, 'message 1'), came(over, 'message 0')]).toEqual([true, false])
  })

  it('are recognized for the newest messages, up to a mebibyte of messages and lookup keys', () => {
    // Length of a lookup key: the topic, the length and a sample of zeros, with separators.
    const key = 'a/b 500000 0'.length
    const long = new Uint8Array(500_000)
    const rest = new Uint8Array(1024 * 1024 - 2 * key - long.length)
    const both = (copies: CopyDetector, other: Uint8Array, topic = 'a/b') => [
      came(copies, long),
      came(copies, other, { topic }),
      came(copies, long),
    ]
    const copies = new CopyDetector(['a/+', 'a/#'])
    expect(both(copies, rest)).toEqual([false, false, true])
    // Two messages were forgotten, because no more copies of them can arrive.
    expect(came(copies, rest)).toBe(true)
    expect(both(copies, rest)).toEqual([false, false, true])
    const longer = new Uint8Array(rest.length + 1)
    expect(both(new CopyDetector(['a/+', 'a/#']), longer)).toEqual([false, false, false])
    expect(both(new CopyDetector(['a/+', 'a/#']), rest, 'a/bc')).toEqual([false, false, false])
  })

  it('are recognized for the newest message, however long it is', () => {
    const copies = new CopyDetector(['a/+', 'a/#'])
    const long = new Uint8Array(2 * 1024 * 1024)
    expect([came(copies, long), came(copies, long)]).toEqual([false, true])
  })
})

/** Filters of which each shares some topics with each of the others, and no topic matches all. */
const OVERLAPPING = ['a/+/c', '+/b/c', 'a/b/+']

describe('a message that several topic filters match', () => {
  it('is delivered twice if it arrives twice with the same subscription identifiers', () => {
    const copies = new CopyDetector(OVERLAPPING)
    const came = (subscriptionIdentifier: number | number[]) =>
      copies.isCopy({
        cmd: 'publish',
        topic: 'a/b/c',
        payload: utf8('same') as Buffer,
        qos: 1,
        retain: false,
        dup: false,
        properties: { subscriptionIdentifier },
      })
    expect([came([1, 2, 3]), came([1, 2, 3])]).toEqual([false, false])
    expect([came(1), came([2, 3]), came(1)]).toEqual([false, true, false])
  })

  it('without subscription identifiers is delivered again if it arrives more often than filters match its topic', () => {
    const copies = new CopyDetector(OVERLAPPING)
    const came = () =>
      copies.isCopy({
        cmd: 'publish',
        topic: 'a/b/c',
        payload: utf8('same') as Buffer,
        qos: 1,
        retain: false,
        dup: false,
      })
    expect([came(), came(), came(), came(), came()]).toEqual([false, true, true, false, true])
  })

  it('is no longer recognized as a copy after 256 other messages, or a mebibyte of them', () => {
    const copies = new CopyDetector(OVERLAPPING)
    const came = (payload: Uint8Array) =>
      copies.isCopy({
        cmd: 'publish',
        topic: 'a/b/c',
        payload: payload as Buffer,
        qos: 1,
        retain: false,
        dup: false,
      })
    const messages = Array.from({ length: 257 }, (_, at) => utf8(`message ${at}`))
    expect(messages.map(came)).toEqual(messages.map(() => false))
    expect([came(utf8('message 256')), came(utf8('message 0'))]).toEqual([true, false])
    const long = new Uint8Array(1024 * 1024)
    expect([came(long), came(long), came(utf8('message 255'))]).toEqual([false, true, false])
  })
})
