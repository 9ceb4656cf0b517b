// @node-only: it uses files and LevelDB

import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  cpSync,
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
import { ClassicLevel } from 'classic-level'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { absent, opened, outgoing } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { flipBitAt, largest } from '../support/stored-files.js'

const MANY = 300
const nameOf = (number: number) => `<message ${number}>`.padEnd(400, '.')
const names = Array.from({ length: MANY }, (_, at) => nameOf(at + 1))
const without = (...gone: number[]) => names.filter((_, at) => !gone.includes(at + 1))

/** A store with messages in it, all stored as one group, and in the log. */
async function filled(store = newPlace()): Promise<string> {
  const box = await opened({ stream: absent(), store })
  await Promise.all(names.map((name) => box.publish(utf8(name))))
  await box.close()
  return store
}

/** The same in tables, as a start leaves it. */
async function inTables(): Promise<string> {
  const store = await filled()
  await (await opened({ stream: absent(), store })).close()
  return store
}

function damageOf(box: Outbox): DamagedEvent[] {
  const told: DamagedEvent[] = []
  box.addEventListener('damaged', (event) => told.push(event as unknown as DamagedEvent))
  return told
}

/** Opens a store that was damaged: what it delivers, and what it tells. */
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

const withLevel = async (
  store: string,
  act: (level: ClassicLevel<string, Uint8Array>) => Promise<unknown>,
) => {
  const level = new ClassicLevel<string, Uint8Array>(store, { valueEncoding: 'view', compression: false })
  await act(level)
  await level.close()
}
const keyOf = (number: number) => String(number).padStart(16, '0')

describe('an outbox whose log was altered while no process had it open', () => {
  // claim: delivery-34
  it('loses only the message that was altered, of a group that was stored together, and reports which', async () => {
    const store = await filled()
    flipBitAt(largest(store, 'log'), nameOf(50))
    const { box, delivered, told, logger, atStart } = await recovered(store)
    expect(delivered).toEqual(without(50))
    expect(told).toHaveLength(1)
    expect(told[0]).toMatchObject({ count: 1, numbers: [[50, 50]], error: { code: 'STORE_DAMAGED' } })
    expect(atStart).toEqual({ damaged: 1, messages: MANY - 1 })
    expect(box.stats().damaged).toBe(1)
    const fields = expect.objectContaining({ err: told[0]?.error, count: 1, numbers: [[50, 50]] })
    expect(logger.error).toHaveBeenCalledWith(fields, 'outbox: stored messages are gone')
  })

  it('says between which times what is gone was stored', async () => {
    const store = newPlace()
    const before = Date.now()
    const box = await opened({ stream: absent(), store })
    for (const name of names.slice(0, 3)) await box.publish(utf8(name))
    await box.close()
    flipBitAt(largest(store, 'log'), nameOf(2))
    const { told } = await recovered(store)
    const { storedAfter = 0, storedBefore = 0 } = told[0] ?? {}
    expect(storedAfter).toBeGreaterThan(before - 1000)
    expect(storedBefore).toBeGreaterThanOrEqual(storedAfter)
    expect(storedBefore).toBeLessThan(Date.now() + 1000)
  })

  it.each([
    ['first', 1],
    ['last', MANY],
  ])('opens and delivers the others when it is the %s message', async (_, number) => {
    const store = await filled()
    flipBitAt(largest(store, 'log'), nameOf(number))
    const { delivered, told } = await recovered(store)
    expect(delivered).toEqual(without(number))
    expect(told.map(({ numbers }) => numbers)).toEqual([[[number, number]]])
  })

  it('delivers what comes before the place where it was cut off, and counts the rest', async () => {
    const store = await filled()
    const log = largest(store, 'log')
    truncateSync(log, Math.floor(statSync(log).size / 2))
    const { delivered, told } = await recovered(store)
    expect(delivered.length).toBeGreaterThan(100)
    expect(delivered).toEqual(names.slice(0, delivered.length))
    expect(told).toHaveLength(1)
    expect(told[0]).toMatchObject({ count: MANY - delivered.length, numbers: [[delivered.length + 1, MANY]] })
  })

  // claim: delivery-35
  it('reports once what is gone, and not at the next start', async () => {
    const store = await filled()
    flipBitAt(largest(store, 'log'), nameOf(50))
    const box = await opened({ stream: absent(), store })
    expect(box.stats().damaged).toBe(1)
    await box.close()
    const { delivered, atStart, told } = await recovered(store)
    expect([delivered, told]).toEqual([without(50), []])
    expect(atStart).toEqual({ damaged: 0, messages: MANY - 1 })
  })

  it('gives new messages new numbers', async () => {
    const store = await filled()
    truncateSync(largest(store, 'log'), 0)
    const { box, told } = await recovered(store)
    expect(told[0]).toMatchObject({ count: MANY, numbers: [[1, MANY]] })
    await (await box.publish(utf8('next'))).delivered
    await box.close()
    expect((await recovered(store)).told).toEqual([])
  })
})

describe('an outbox whose files are not as LevelDB left them', () => {
  const isOneOf = (name: string) => /^(CURRENT|MANIFEST-|\d+\.(log|ldb)$)/.test(name)

  it.each(['CURRENT', 'MANIFEST', 'mark'])('delivers everything without its %s', async (start) => {
    for (const store of [await filled(), await inTables()]) {
      const name = readdirSync(store).find((each) => each.startsWith(start)) ?? 'none'
      rmSync(join(store, name))
      const { delivered, told } = await recovered(store)
      expect([delivered, told]).toEqual([names, []])
    }
  })

  it.each(['CURRENT', 'MANIFEST', 'mark'])(
    'delivers everything although its %s is rubbish',
    async (start) => {
      const store = await inTables()
      const name = readdirSync(store).find((each) => each.startsWith(start)) ?? 'none'
      writeFileSync(join(store, name), 'rubbish')
      const { delivered, told } = await recovered(store)
      expect([delivered, told]).toEqual([names, []])
    },
  )

  it('counts what was in a table that is gone', async () => {
    const store = await inTables()
    rmSync(largest(store, 'ldb'))
    const { delivered, told } = await recovered(store)
    expect([delivered, told.map(({ count }) => count)]).toEqual([[], [MANY]])
  })

  it('reports a message that was altered in a table, and delivers the others', async () => {
    const store = await inTables()
    flipBitAt(largest(store, 'ldb'), nameOf(50))
    const { delivered, told } = await recovered(store)
    expect([delivered, told.map(({ numbers }) => numbers)]).toEqual([without(50), [[[50, 50]]]])
  })

  it('opens although a list of files has the name of a log, at which LevelDB ends the process', async () => {
    const store = await filled()
    const manifest = readdirSync(store).find((name) => name.startsWith('MANIFEST')) ?? 'none'
    const log = largest(store, 'log')
    rmSync(log)
    copyFileSync(join(store, manifest), log)
    const { delivered, told } = await recovered(store)
    expect([delivered, told.map(({ count }) => count)]).toEqual([[], [MANY]])
  })

  // claim: troubleshooting-7
  it('says what to do where nothing can be opened and nothing is an outbox’s, and touches nothing', async () => {
    const store = newPlace()
    await withLevel(store, (level) => level.put('theirs', utf8('value')))
    writeFileSync(join(store, 'CURRENT'), 'rubbish')
    const before = readdirSync(store).filter(isOneOf)
    const error = await opened({ stream: memory(), store }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'STORE_DAMAGED' })
    expect(error.message).toContain(store)
    expect(error.message).toMatch(/move .* away, or name another folder/)
    expect(readdirSync(store).filter(isOneOf)).toEqual(before)
  })

  it('goes on where an opening was interrupted', async () => {
    const store = await filled()
    const copy = join(store, 'salvage-of-another-time')
    cpSync(store, `${store}-copy`, { recursive: true })
    renameSync(`${store}-copy`, copy)
    for (const name of readdirSync(store).filter(isOneOf)) rmSync(join(store, name))
    const { delivered, told } = await recovered(store)
    expect([delivered, told]).toEqual([names, []])
    expect(readdirSync(store).filter((name) => name.startsWith('salvage'))).toEqual([])
  })
})

describe('a store that another has open, or whose files are another’s', () => {
  it('stays locked for other processes after an interrupted opening was finished', async () => {
    const store = await filled()
    const copy = join(store, 'salvage-of-another-time')
    cpSync(store, `${store}-copy`, { recursive: true })
    renameSync(`${store}-copy`, copy)
    await opened({ stream: absent(), store })
    const open = `new (require('classic-level').ClassicLevel)(process.argv[1]).open().then(() => console.log('open'), (error) => console.log(error.cause.code))`
    const { stdout } = spawnSync(process.execPath, ['-e', open, store], { encoding: 'utf8' })
    expect(stdout.trim()).toBe('LEVEL_LOCKED')
  })

  it('loses no file that is being written', async () => {
    const store = await filled()
    await opened({ stream: absent(), store })
    const table = join(store, '999999.ldb')
    writeFileSync(table, 'half a table')
    const error = await outbox({ stream: memory(), store })
      .connect()
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'STORE_LOCKED' })
    expect(readFileSync(table, 'utf8')).toBe('half a table')
    rmSync(table)
  })

  it('keeps its damaged tables where nothing is the outbox’s', async () => {
    const store = newPlace()
    await withLevel(store, (level) => level.put('theirs', utf8('value'.repeat(100))))
    await withLevel(store, async () => {})
    flipBitAt(largest(store, 'ldb'), 'valuevalue')
    const before = readFileSync(largest(store, 'ldb'))
    const error = await opened({ stream: memory(), store }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'STORE_DAMAGED' })
    expect(readFileSync(largest(store, 'ldb'))).toEqual(before)
    expect(readdirSync(store).filter((name) => name.startsWith('salvage'))).toEqual([])
  })
})

describe('entries in the store that are not the outbox’s', () => {
  it('are told in the log, do no harm, and stay', async () => {
    const store = await filled()
    await withLevel(store, async (level) => {
      for (const key of ['hello', '!', '9999999999999999', '0000000000005000', '0000000000000000'])
        await level.put(key, utf8('theirs'))
    })
    const { box, delivered, told, logger } = await recovered(store)
    expect([delivered, told]).toEqual([names, []])
    expect(logger.warn).toHaveBeenCalledWith({ entries: 5 }, expect.stringContaining('not from an outbox'))
    await box.close()
    await withLevel(store, async (level) =>
      expect(textOf((await level.get('hello')) ?? utf8(''))).toBe('theirs'),
    )
  })

  it('under the number of a message are no message: it is told', async () => {
    const store = await filled()
    await withLevel(store, (level) => level.put(keyOf(50), utf8('theirs')))
    const { delivered, told } = await recovered(store)
    expect([delivered, told.map(({ numbers }) => numbers)]).toEqual([without(50), [[[50, 50]]]])
  })

  it('that are another message of the outbox are no message either', async () => {
    const store = await filled()
    await withLevel(store, async (level) => level.put(keyOf(50), (await level.get(keyOf(51))) ?? utf8('')))
    const { delivered, told } = await recovered(store)
    expect([delivered, told.map(({ numbers }) => numbers)]).toEqual([without(50), [[[50, 50]]]])
  })
})

describe('where the oldest are dropped', () => {
  it('a damaged one makes room too, and the next are stored', async () => {
    const store = await filled()
    const box = await opened({ stream: absent(), store })
    const { bytes } = box.stored
    await box.close()
    for (const number of [1, 2, 3]) flipBitAt(largest(store, 'ldb'), nameOf(number))
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

describe('messages that are set aside', () => {
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
  ])('are told once when one of them %s', async (_, damage, numbers) => {
    const store = await withThreeAside()
    damage(join(store, 'set-aside', '2'))
    const { box, told } = await recovered(store)
    expect([told.map(({ count }) => count), told.map((each) => each.numbers)]).toEqual([[1], numbers])
    expect([box.stats().setAside, box.stats().damaged]).toEqual([2, 1])
    await box.close()
    expect((await recovered(store)).told).toEqual([])
  })
})

it('rubbish behind what was written last is no damage', async () => {
  const store = await filled()
  appendFileSync(largest(store, 'log'), crypto.getRandomValues(new Uint8Array(1000)))
  const { delivered, told } = await recovered(store)
  expect([delivered, told]).toEqual([names, []])
})

describe('records of version 1', () => {
  const record = (text: string, storedAt: number, end: number) => {
    const options = utf8('{"contentType":"application/json"}')
    const bytes = new Uint8Array(21 + options.length + text.length)
    const view = new DataView(bytes.buffer)
    view.setUint8(0, 1)
    view.setFloat64(1, storedAt, true)
    view.setFloat64(9, end, true)
    view.setUint32(17, options.length, true)
    bytes.set(options, 21)
    bytes.set(utf8(text), 21 + options.length)
    return bytes
  }

  async function ofVersion1(): Promise<string> {
    const store = newPlace()
    await withLevel(store, async (level) => {
      await level.put(keyOf(7), record('seven', Date.now(), 560))
      await level.put(keyOf(8), record('eight', Date.now(), 620))
    })
    return store
  }

  it('are still read', async () => {
    const { delivered, told } = await recovered(await ofVersion1())
    // Versions that wrote them had no mark.
    expect([delivered, told]).toMatchObject([['seven', 'eight'], [{ count: 0, numbers: [] }]])
  })

  it('in a table that is gone are told as gone, and those of version 2 are delivered', async () => {
    const store = await ofVersion1()
    const box = await opened({ stream: absent(), store })
    await box.publish(utf8(nameOf(9)))
    await box.close()
    for (const name of readdirSync(store).filter((each) => each.endsWith('.ldb'))) rmSync(join(store, name))
    const { delivered, told } = await recovered(store)
    expect([delivered, told.flatMap(({ numbers }) => numbers)]).toEqual([[nameOf(9)], [[7, 8]]])
  })

  // claim: delivery-36
  it('alone in files that LevelDB cannot open are kept where they are, and the error says so', async () => {
    const store = await ofVersion1()
    writeFileSync(join(store, 'CURRENT'), 'rubbish')
    const before = readFileSync(largest(store, 'log'))
    const error = await opened({ stream: absent(), store }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'STORE_DAMAGED' })
    expect(error.message).toContain('move them away')
    expect(readFileSync(largest(store, 'log'))).toEqual(before)
  })

  it('in a damaged table, where nothing tells them from rubbish, are told as gone', async () => {
    const store = await ofVersion1()
    const box = await opened({ stream: absent(), store })
    await box.publish(utf8(nameOf(9)))
    await box.close()
    const tables = readdirSync(store).filter((name) => name.endsWith('.ldb'))
    const table = tables.find((name) => readFileSync(join(store, name)).includes('seven'))
    flipBitAt(join(store, table ?? 'none'), 'seven')
    const { delivered, told } = await recovered(store)
    expect([delivered, told.map(({ count, numbers }) => [count, numbers])]).toEqual([
      [nameOf(9)],
      [[2, [[7, 8]]]],
    ])
  })
})
