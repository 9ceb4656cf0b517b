// @internal: messages are made that look like records and marks
// @node-only: it uses files

import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memory } from 'alvarium-sdk'
import { type DamagedEvent, outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RecordLog } from '../../dist/transport/streams/outbox/log.js'
import { writeMark } from '../../dist/transport/streams/outbox/mark.js'
import { optionBytes, writeRecord } from '../../dist/transport/streams/outbox/record.js'
import { segmentsIn } from '../../dist/transport/streams/outbox/segment.js'
import { concat, textOf, utf8 } from '../support/bytes.js'
import { overlappingHeads } from '../support/forged-heads.js'
import { absent, opened } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { largest } from '../support/stored-files.js'

// Others write the messages. An outbox must never treat their bytes as its own record or mark.

const NOBODYS = 'nobody stored this'
const [OUTER, OTHER, ALL] = [10, 5, 20]
const options = optionBytes({})

/** Returns a record in an outbox's format, newer than any other. */
const forged = (number: number, message = utf8(NOBODYS)) =>
  writeRecord({ number, message, options, storedAt: Date.now() + 1e9, end: 100 })

/** Makes a store with messages, one of which contains these bytes. */
async function filledWith(inner: Uint8Array): Promise<string> {
  const store = newPlace()
  const box = await opened({ stream: absent(), store })
  for (let number = 1; number <= ALL; number++) {
    await box.publish(number === OUTER ? inner : utf8(`message ${number}`.padEnd(400, '.')))
  }
  await box.close()
  return store
}

/** Flips one bit in the head of the message with this number: in its length, or in its time of storage. */
function alter(path: string, number: number, at: number): void {
  const bytes = readFileSync(path)
  const numbered = new Uint8Array(new Float64Array([number]).buffer)
  let head = bytes.indexOf('\u0002ALV')
  while (head >= 0 && bytes.subarray(head + 16, head + 24).compare(numbered) !== 0) {
    head = bytes.indexOf('\u0002ALV', head + 1)
  }
  if (head < 0) throw new Error(`no message ${number} in ${path}`)
  bytes[head + at] = (bytes[head + at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

async function recovered(store: string) {
  const stream = memory()
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const box = outbox({ stream, store })
  const gone: number[] = []
  box.addEventListener('damaged', (event) => {
    for (const [first, last] of (event as unknown as DamagedEvent).numbers) {
      for (let number = first; number <= last; number++) gone.push(number)
    }
  })
  await box.connect({ logger })
  onTestFinished(() => box.close())
  await vi.waitFor(() => expect(box.stored.messages).toBe(0))
  return { delivered: stream.messages, gone, logger }
}

/** Checks that an outbox delivers every message but this number, and no forged one. */
async function expectAllBut(store: string, number: number): Promise<void> {
  const { delivered, gone } = await recovered(store)
  expect(delivered.map(textOf)).not.toContain(NOBODYS)
  expect([delivered.length, gone]).toEqual([ALL - 1, [number]])
}

describe('a copy of an outbox record inside a message', () => {
  it.each([8, 24])(
    'is not delivered in place of the enclosing record, which was altered at byte %i',
    async (at) => {
      const store = await filledWith(concat(utf8('before'), forged(OUTER), utf8('after')))
      alter(largest(store), OUTER, at)
      await expectAllBut(store, OUTER)
    },
  )

  // claim: delivery-37
  it('is not delivered in place of the altered record that has the same number', async () => {
    const store = await filledWith(forged(OTHER))
    alter(largest(store), OTHER, 24)
    await expectAllBut(store, OTHER)
  })

  // claim: threats-60
  it('does not change which messages the outbox reports as lost, even if the mark files (first and last record number) are gone', async () => {
    const all = {
      settled: 1e6,
      settledEnd: 1e9,
      last: 1e6,
      lastEnd: 1e9,
      setAside: 0,
      lost: [],
      clockSettings: [],
      markedAt: 0,
      topics: [],
    }
    const store = await filledWith(writeMark(all))
    alter(largest(store), OUTER, 24)
    for (const name of ['mark', 'mark-copy']) rmSync(join(store, name))
    await expectAllBut(store, OUTER)
  })
})

it('a message that contains copies of records is delivered unchanged, even if other messages are damaged', async () => {
  const message = concat(forged(OUTER), forged(OTHER), utf8('ALV'))
  const store = await filledWith(message)
  alter(largest(store), OTHER, 24)
  const { delivered, gone } = await recovered(store)
  expect([delivered.length, gone]).toEqual([ALL - 1, [OTHER]])
  expect(delivered[OUTER - 2]).toEqual(message)
})

describe('the reader of outbox files', () => {
  it('uses the record in the later file if two records have the same number', async () => {
    const folder = newPlace()
    const write = (name: string, text: string) => writeFileSync(join(folder, name), forged(1, utf8(text)))
    write('records-9', 'rejected')
    write('records-10', 'stored')
    const log = await RecordLog.open(folder, await segmentsIn(folder), 0)
    const [record, ...others] = await log.read(1, 10)
    expect(textOf(record?.bytes.subarray(-6) ?? utf8(''))).toBe('stored')
    expect(others).toEqual([])
  })

  it('finds no record that is split by other bytes', async () => {
    const outer = writeRecord({ number: OUTER, message: new Uint8Array(100), options, storedAt: 1, end: 1 })
    const inner = forged(OTHER)
    const folder = newPlace()
    const bytes = concat(inner.subarray(0, 20), new Uint8Array(7), inner.subarray(20), outer)
    writeFileSync(join(folder, 'records-1'), bytes)
    const log = await RecordLog.open(folder, await segmentsIn(folder), 0)
    expect(log.numbers).toEqual([OUTER])
  })
})

it('an outbox warns of bytes that only look like record beginnings, and delivers the undamaged messages', async () => {
  const store = await filledWith(utf8('outer'))
  appendFileSync(largest(store), overlappingHeads(1_000_000))
  alter(largest(store), OTHER, 24)
  const { delivered, gone, logger } = await recovered(store)
  expect([delivered.length, gone]).toEqual([ALL - 1, [OTHER]])
  expect(logger.warn).toHaveBeenCalledWith(
    { places: expect.any(Number) },
    expect.stringContaining('not looked at'),
  )
})
