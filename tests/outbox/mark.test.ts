// @internal: files of the mark are altered and read
// @node-only: it uses files

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { memory } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MarkFiles } from '../../dist/transport/streams/outbox/folder.js'
import { readMark } from '../../dist/transport/streams/outbox/mark.js'
import { textOf, utf8 } from '../support/bytes.js'
import { memoryStore } from '../support/outbox-store.js'
import { absent, opened } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'

// The mark says how far a store goes; see js/transport/streams/outbox/mark.ts. A missing message that is not marked as settled
// counts as damage.

const names = ['a', 'b', 'c']

function logger() {
  return { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
}

describe('an outbox store that cannot write its mark (its first and last record number)', () => {
  function unmarkable() {
    const store = memoryStore()
    const { mark } = store
    const marking = vi.fn((): Promise<void> => Promise.reject(new Error('read-only')))
    store.mark = marking
    const repair = () => void marking.mockImplementation(mark as () => Promise<void>)
    return { store, repair, marking }
  }

  // claim: delivery-42
  it('stores and delivers messages, deletes none, and logs the failure once', async () => {
    const { store } = unmarkable()
    const stream = memory()
    const [box, log] = [outbox({ stream, store, closeTimeoutMs: 1000 }), logger()]
    await box.connect({ logger: log })
    for (const name of names) await (await box.publish(utf8(name))).delivered
    await box.close()
    expect(stream.messages.map(textOf)).toEqual(names)
    expect([...store.records.keys()]).toEqual([1, 2, 3])
    const message = expect.stringMatching(/: read-only$/)
    const err = expect.objectContaining({ code: 'STORE_FAILED', message })
    expect(log.warn.mock.calls).toEqual([[{ err }, expect.stringContaining('could not mark')]])
  })

  it('sends messages again if it could not delete them, and reports none as lost', async () => {
    const { store, repair } = unmarkable()
    const box = await opened({ stream: memory(), store })
    for (const name of names) await (await box.publish(utf8(name))).delivered
    await box.close()
    repair()
    const stream = memory()
    const again = await opened({ stream, store })
    await vi.waitFor(() => expect(stream.messages.map(textOf)).toEqual(names))
    expect(again.stats().damaged).toBe(0)
    await vi.waitFor(() => expect(store.records.size).toBe(0))
  })

  it('deletes delivered messages as soon as it can write its mark', async () => {
    const { store, repair, marking } = unmarkable()
    const box = await opened({ stream: memory(), store })
    for (const name of names) await (await box.publish(utf8(name))).delivered
    // The mark is tried once per message, before the records would be deleted.
    await vi.waitFor(() => expect(marking.mock.calls.length).toBeGreaterThan(3))
    expect(store.records.size).toBe(3)
    repair()
    await (await box.publish(utf8('next'))).delivered
    await vi.waitFor(() => expect(store.records.size).toBe(0))
  })
})

describe('the mark file of an outbox store (its first and last record number)', () => {
  // claim: delivery-43
  it.runIf(process.platform !== 'win32')('is replaced if it cannot be written', async () => {
    const folder = newPlace()
    symlinkSync(folder, join(folder, 'mark'))
    const mark = new MarkFiles(folder)
    onTestFinished(() => mark.close())
    for (const text of ['one', 'two and more']) {
      await mark.write(utf8(text))
      await mark.flush()
      expect(readFileSync(join(folder, 'mark'), 'utf8')).toBe(text)
    }
    expect(readdirSync(folder)).toEqual(['mark', 'mark-copy'])
  })

  it.runIf(existsSync('/proc/self/fd'))(
    'is closed if the store is closed while the mark is being opened',
    async () => {
      const folder = newPlace()
      const mark = new MarkFiles(folder)
      const writing = mark.write(utf8('one'))
      await mark.close()
      await writing
      const files = readdirSync('/proc/self/fd').map((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`)
        } catch {
          return 'that of this list'
        }
      })
      expect(files).not.toContain(join(folder, 'mark'))
      expect(readFileSync(join(folder, 'mark'), 'utf8')).toBe('one')
    },
  )

  it('delays no message if it can be neither written nor replaced', async () => {
    const store = newPlace()
    const stream = memory()
    const [box, log] = [outbox({ stream, store, closeTimeoutMs: 1000 }), logger()]
    await box.connect({ logger: log })
    // A folder that is not empty.
    const path = join(store, 'mark')
    rmSync(path)
    mkdirSync(path)
    writeFileSync(join(path, 'something'), '')
    for (const name of names) await (await box.publish(utf8(name))).delivered
    expect(log.warn).toHaveBeenCalledOnce()
    rmSync(join(path, 'something'))
    rmdirSync(path)
    await (await box.publish(utf8('next'))).delivered
    await box.close()
    const again = await opened({ stream: absent(), store })
    expect([again.stored.messages, again.stats().damaged, existsSync(path)]).toEqual([0, 0, true])
    expect(stream.messages.map(textOf)).toEqual([...names, 'next'])
  })

  it('causes an error with the reason if it cannot be read, and the store stays unchanged', async () => {
    const store = newPlace()
    const box = await opened({ stream: absent(), store })
    for (const name of names) await box.publish(utf8(name))
    await box.close()
    const path = join(store, 'mark')
    const bytes = readFileSync(path)
    rmSync(path)
    mkdirSync(path)
    const error = await opened({ stream: memory(), store }).catch((thrown) => thrown)
    // The code depends on the system.
    expect(error).toMatchObject({ code: 'STORE_FAILED', cause: { code: expect.stringMatching(/^E[A-Z]+$/) } })
    expect(error.message).toContain(error.cause.message)
    rmdirSync(path)
    writeFileSync(path, bytes)
    const again = await opened({ stream: absent(), store })
    expect([again.stored.messages, again.stats().damaged]).toEqual([3, 0])
  })
})

it('the mark of an outbox store can be read even if it was written over a longer mark', async () => {
  const store = newPlace()
  const box = await opened({ stream: memory(), store })
  for (const name of names) await (await box.publish(utf8(name))).delivered
  await box.close()
  for (const name of ['mark', 'mark-copy']) {
    writeFileSync(join(store, name), Buffer.concat([readFileSync(join(store, name)), Buffer.from('}')]))
  }
  expect(readMark(await new MarkFiles(store).read())).toMatchObject({ settled: 3, last: 3 })
})
