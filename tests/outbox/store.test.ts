// @internal: a store is opened without its stream
import { describe, expect, it, onTestFinished } from 'vitest'
import { storeAt } from '#outbox-store'
import { EMPTY_MARK, writeMark } from '../../dist/transport/streams/outbox/mark.js'
import { readRecord, writeRecord } from '../../dist/transport/streams/outbox/record.js'
import { isSame, textOf, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { newPlace } from '../support/places.js'

function opening(place: string) {
  const store = storeAt(place)
  onTestFinished(() => store.close())
  return store
}

const records = (...texts: string[]) => texts.map((text) => utf8(text))

/** Opens a store, and returns its first and last number. A store on a disk has a mark from the first opening on. */
async function edgesOf(store: ReturnType<typeof storeAt>) {
  const { first, last } = (await store.open()) ?? {}
  return [first, last]
}

/** Writes a record. A store in a folder parses its files when it is opened again; other tests store any bytes. */
const recordOf = (number: number) =>
  writeRecord({ number, message: utf8(`message ${number}`), options: utf8('{}'), storedAt: 0, end: 0 })

async function stored(store: ReturnType<typeof storeAt>, from = 0, most = 100) {
  return (await store.read(from, most)).map(({ number, bytes }) => [number, textOf(bytes)])
}

describe('a store of an outbox', () => {
  it('is empty at first', async () => {
    const store = opening(newPlace())
    expect(await edgesOf(store)).toEqual([undefined, undefined])
    expect(await stored(store)).toEqual([])
  })

  it('returns the appended records under their numbers and in order', async () => {
    const store = opening(newPlace())
    await store.open()
    await store.append(9, records('nine', 'ten'))
    await store.append(11, records('eleven'))
    expect(await stored(store)).toEqual([
      [9, 'nine'],
      [10, 'ten'],
      [11, 'eleven'],
    ])
    expect(await stored(store, 10, 1)).toEqual([[10, 'ten']])
  })

  it('has the same records, first number and last number when it is opened again', async () => {
    const place = newPlace()
    const store = opening(place)
    await store.open()
    await store.append(1, [1, 2, 3].map(recordOf))
    await store.mark?.(writeMark({ ...EMPTY_MARK, settled: 1, last: 3 }))
    await store.deleteThrough(1)
    await store.close()
    const again = opening(place)
    expect(await edgesOf(again)).toEqual([2, 3])
    expect(
      (await again.read(0, 100)).map(({ number, bytes }) => textOf(readRecord(number, bytes).message)),
    ).toEqual(['message 2', 'message 3'])
  })

  it('deletes records up to a number, and can be emptied that way', async () => {
    const place = newPlace()
    const store = opening(place)
    await store.open()
    await store.append(1, records('a', 'b', 'c', 'd'))
    await store.deleteThrough(1)
    await store.deleteThrough(3)
    expect(await stored(store)).toEqual([[4, 'd']])
    await store.deleteThrough(4)
    await store.close()
    expect(await edgesOf(opening(place))).toEqual([undefined, undefined])
  })

  it('replaces a record if another record with its number is appended', async () => {
    const store = opening(newPlace())
    await store.open()
    await store.append(1, records('a', 'b'))
    await store.append(2, records('B'))
    expect(await stored(store)).toEqual([
      [1, 'a'],
      [2, 'B'],
    ])
  })

  it('returns the same bytes that were stored, for an empty record and for a long record', async () => {
    const store = opening(newPlace())
    await store.open()
    const large = crypto.getRandomValues(new Uint8Array(65_536))
    const largest = new Uint8Array(1_048_576)
    for (let at = 0; at < largest.length; at += large.length) largest.set(large, at)
    await store.append(1, [new Uint8Array(), largest])
    const [none, all] = await store.read(1, 2)
    expect(none?.bytes).toHaveLength(0)
    expect(isSame(all?.bytes ?? largest.subarray(1), largest)).toBe(true)
  })

  it('can be opened by one owner at a time', async () => {
    const place = newPlace()
    const store = opening(place)
    await store.open()
    expect(await codeOf(() => opening(place).open())).toBe('STORE_LOCKED')
    await store.append(1, [recordOf(1)])
    await store.close()
    expect(await edgesOf(opening(place))).toEqual([1, 1])
  })

  it('is not opened again by a call after close()', async () => {
    const place = newPlace()
    const store = opening(place)
    await store.open()
    await store.close()
    expect(await codeOf(() => store.append(1, records('too late')))).toBe('STORE_FAILED')
    expect(await edgesOf(opening(place))).toEqual([undefined, undefined])
  })
})
