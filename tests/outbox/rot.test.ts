// @node-only: it uses files

import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { AlvariumError, memory } from 'alvarium-sdk'
import { type DamagedEvent, type Outbox, outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { absent, opened, outgoing } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { flipBitAt, largest, recordFiles } from '../support/stored-files.js'

const MANY = 300
const nameOf = (number: number) => `<message ${number}>`.padEnd(400, '.')
const names = Array.from({ length: MANY }, (_, at) => nameOf(at + 1))
const without = (...gone: number[]) => names.filter((_, at) => !gone.includes(at + 1))

/** Makes a store whose messages were stored as one group. */
async function filled(store = newPlace()): Promise<string> {
  const box = await opened({ stream: absent(), store })
  await Promise.all(names.map((name) => box.publish(utf8(name))))
  await box.close()
  return store
}

/** Makes a store with three files: each opening begins one. */
async function inFiles(): Promise<string> {
  const store = newPlace()
  for (let at = 0; at < MANY; at += 100) {
    const box = await opened({ stream: absent(), store })
    await Promise.all(names.slice(at, at + 100).map((name) => box.publish(utf8(name))))
    await box.close()
  }
  return store
}

function damageOf(box: Outbox): DamagedEvent[] {
  const told: DamagedEvent[] = []
  box.addEventListener('damaged', (event) => told.push(event as unknown as DamagedEvent))
  return told
}

/** Opens a damaged store. Returns the messages that it delivers, and its reports. */
async function recovered(store: string) {
  const stream = memory()
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const box = outbox({ stream, store })
  const told = damageOf(box)
  await box.connect({ logger })
  onTestFinished(() => box.close())
  const atStart = { damaged: box.stats().damaged, messages: box.stored.messages }
  await vi.waitFor(() => expect(box.stored).toEqual({ messages: 0, bytes: 0 }))
  return { box, delivered: stream.messages.map(textOf), told, logger, atStart }
}

describe('an outbox whose file of records was altered while no process had it open', () => {
  // claim: delivery-34
  it('loses only the altered message, even if many messages were written together', async () => {
    const store = await filled()
    flipBitAt(largest(store), nameOf(50))
    const { box, delivered, told, logger, atStart } = await recovered(store)
    expect(delivered).toEqual(without(50))
    expect(told).toHaveLength(1)
    expect(told[0]).toMatchObject({ count: 1, numbers: [[50, 50]], error: { code: 'STORE_DAMAGED' } })
    expect(atStart).toEqual({ damaged: 1, messages: MANY - 1 })
    expect(box.stats().damaged).toBe(1)
    const fields = expect.objectContaining({ err: told[0]?.error, count: 1, numbers: [[50, 50]] })
    expect(logger.error).toHaveBeenCalledWith(fields, 'outbox: stored messages are gone')
  })

  it('reports the times between which the lost message was stored', async () => {
    const store = newPlace()
    const before = Date.now()
    const box = await opened({ stream: absent(), store })
    for (const name of names.slice(0, 3)) await box.publish(utf8(name))
    await box.close()
    flipBitAt(largest(store), nameOf(2))
    const { told } = await recovered(store)
    const { storedAfter = 0, storedBefore = 0 } = told[0] ?? {}
    expect(storedAfter).toBeGreaterThan(before - 1000)
    expect(storedBefore).toBeGreaterThanOrEqual(storedAfter)
    expect(storedBefore).toBeLessThan(Date.now() + 1000)
  })

  it.each([
    ['first', 1],
    ['last', MANY],
  ])('opens and delivers the other messages when the %s message is altered', async (_, number) => {
    const store = await filled()
    flipBitAt(largest(store), nameOf(number))
    const { delivered, told } = await recovered(store)
    expect(delivered).toEqual(without(number))
    expect(told.map(({ numbers }) => numbers)).toEqual([[[number, number]]])
  })

  it('delivers the messages before the point of truncation, and counts the others as lost', async () => {
    const store = await filled()
    const path = largest(store)
    truncateSync(path, Math.floor(statSync(path).size / 2))
    const { delivered, told } = await recovered(store)
    expect(delivered.length).toBeGreaterThan(100)
    expect(delivered).toEqual(names.slice(0, delivered.length))
    expect(told).toHaveLength(1)
    expect(told[0]).toMatchObject({ count: MANY - delivered.length, numbers: [[delivered.length + 1, MANY]] })
  })

  // claim: delivery-35
  it('reports a lost message once, and not after a restart', async () => {
    const store = await filled()
    flipBitAt(largest(store), nameOf(50))
    const box = await opened({ stream: absent(), store })
    expect(box.stats().damaged).toBe(1)
    await box.close()
    const { delivered, atStart, told } = await recovered(store)
    expect([delivered, told]).toEqual([without(50), []])
    expect(atStart).toEqual({ damaged: 0, messages: MANY - 1 })
  })

  it('assigns unused numbers to new messages', async () => {
    const store = await filled()
    truncateSync(largest(store), 0)
    const { box, told } = await recovered(store)
    expect(told[0]).toMatchObject({ count: MANY, numbers: [[1, MANY]] })
    await (await box.publish(utf8('next'))).delivered
    await box.close()
    expect((await recovered(store)).told).toEqual([])
  })
})

describe('an outbox whose files were changed by another program', () => {
  it('counts the messages of a missing file as lost, and delivers the messages of the other files', async () => {
    const store = await inFiles()
    rmSync(recordFiles(store)[1] ?? 'none')
    const { delivered, told } = await recovered(store)
    expect(delivered).toEqual([...names.slice(0, 100), ...names.slice(200)])
    expect(told.map(({ numbers }) => numbers)).toEqual([[[101, 200]]])
  })

  it('delivers all messages in order even if two files have exchanged their names', async () => {
    const store = await inFiles()
    const [one = '', other = ''] = recordFiles(store)
    renameSync(one, `${one}-away`)
    renameSync(other, one)
    renameSync(`${one}-away`, other)
    const { delivered, told } = await recovered(store)
    expect([delivered, told]).toEqual([names, []])
  })

  it.each(['mark', 'mark-copy'])(
    'delivers all messages even if a file of records was renamed to %s',
    async (mark) => {
      const store = await inFiles()
      renameSync(recordFiles(store)[1] ?? 'none', join(store, mark))
      const { delivered, told } = await recovered(store)
      expect([delivered, told]).toEqual([names, []])
    },
  )

  it('sends only one copy of a message that is stored in two files', async () => {
    const store = await inFiles()
    copyFileSync(recordFiles(store)[0] ?? 'none', join(store, 'records-9'))
    const { delivered, told } = await recovered(store)
    expect([delivered, told]).toEqual([names, []])
  })

  it('sends a message only once if its copy has replaced a different message', async () => {
    const store = await filled()
    const bytes = readFileSync(largest(store))
    const placeOf = (number: number) => {
      const end = bytes.indexOf(nameOf(number))
      return bytes.lastIndexOf('\u0002ALV', end)
    }
    bytes.copyWithin(placeOf(50), placeOf(51), placeOf(52))
    writeFileSync(largest(store), bytes)
    const { delivered, told } = await recovered(store)
    expect([delivered, told.map(({ numbers }) => numbers)]).toEqual([without(50), [[[50, 50]]]])
  })

  it('does not remove files of other programs', async () => {
    const store = await filled()
    const others = ['hello', 'records', 'records-x', 'records-0', 'LOG', '000001']
    for (const name of others) writeFileSync(join(store, name), 'theirs')
    const { box, delivered, told } = await recovered(store)
    expect([delivered, told]).toEqual([names, []])
    await box.close()
    expect(others.filter((name) => !readdirSync(store).includes(name))).toEqual([])
  })
})

describe("an outbox's files of records", () => {
  // claim: delivery-75, threats-99
  it('are removed when all their messages are settled, and the last file when the outbox is closed', async () => {
    const store = await inFiles()
    const stream = outgoing((text) => (text === nameOf(150) ? new Promise(() => {}) : undefined))
    const box = await opened({ stream, store, closeTimeoutMs: 100 })
    await vi.waitFor(() => expect(recordFiles(store)).toHaveLength(2))
    await box.close()
    const again = await opened({ stream: memory(), store })
    await vi.waitFor(() => expect(recordFiles(store)).toEqual([]))
    await (await again.publish(utf8('next'))).delivered
    expect(recordFiles(store)).toHaveLength(1)
    await again.close()
    expect(recordFiles(store)).toEqual([])
  })

  // claim: delivery-76
  it('are each about a mebibyte long', async () => {
    const store = newPlace()
    const box = await opened({ stream: absent(), store })
    for (let at = 0; at < 25; at++) await box.publish(new Uint8Array(100_000).fill(at))
    expect(recordFiles(store).map((path) => Math.floor(statSync(path).size / 100_000))).toEqual([11, 11, 3])
    await box.close()
    const { delivered, told } = await recovered(store)
    expect([delivered.length, told]).toEqual([25, []])
  })
})

it('an open outbox reports a message that was altered in its file when it reads the message from the file', async () => {
  const store = await filled()
  const gate = deferred<void>()
  const stream = outgoing(() => gate.promise)
  const box = outbox({ stream, store })
  onTestFinished(() => box.close())
  const told = damageOf(box)
  await box.connect()
  await vi.waitFor(() => expect(stream.handed).toHaveLength(64))
  // Only the first 256 messages are in memory.
  flipBitAt(largest(store), nameOf(290))
  gate.resolve()
  await vi.waitFor(() => expect(box.stored.messages).toBe(0))
  expect([stream.accepted, told.map(({ numbers }) => numbers)]).toEqual([without(290), [[[290, 290]]]])
})

describe('an outbox with whenFull "drop-oldest"', () => {
  it('drops damaged messages to make room, and stores the next messages', async () => {
    const store = await filled()
    const box = await opened({ stream: absent(), store })
    const { bytes } = box.stored
    await box.close()
    for (const number of [1, 2, 3]) flipBitAt(largest(store), nameOf(number))
    const full = outbox({
      stream: absent(),
      store,
      maxBytes: bytes,
      whenFull: 'drop-oldest',
      closeTimeoutMs: 50,
    })
    const told = damageOf(full)
    await full.connect()
    for (let at = 0; at < 5; at++) await full.publish(utf8('next'.padEnd(400)))
    await full.close()
    expect(full.stats().damaged).toBe(3)
    expect(told.flatMap(({ numbers }) => numbers)).toEqual([[1, 3]])
    const { delivered } = await recovered(store)
    expect(delivered.filter((text) => text.startsWith('next'))).toHaveLength(5)
  })
})

describe('a message that an outbox has set aside', () => {
  const suspect = new AlvariumError('STREAM_SUSPECT', 'the broker hangs up')

  async function withThreeAside(): Promise<string> {
    const store = newPlace()
    const box = await opened({ stream: outgoing(() => suspect), store })
    for (const name of names.slice(0, 3)) await box.publish(utf8(name))
    await vi.waitFor(() => expect(box.stats().setAside).toBe(3))
    await box.close()
    return store
  }

  it.each([
    ['is altered', (path: string) => flipBitAt(path, nameOf(2)), [[[2, 2]]]],
    ['is gone', (path: string) => rmSync(path), [[]]],
  ])('is reported once as damaged if its file %s', async (_, damage, numbers) => {
    const store = await withThreeAside()
    damage(join(store, 'set-aside', '2'))
    const { box, told } = await recovered(store)
    expect([told.map(({ count }) => count), told.map((each) => each.numbers)]).toEqual([[1], numbers])
    expect([box.stats().setAside, box.stats().damaged]).toEqual([2, 1])
    await box.close()
    expect((await recovered(store)).told).toEqual([])
  })
})

it('bytes after the last record of an outbox file are not reported as damage', async () => {
  const store = await filled()
  appendFileSync(largest(store), crypto.getRandomValues(new Uint8Array(1000)))
  const { delivered, told } = await recovered(store)
  expect([delivered, told]).toEqual([names, []])
})
