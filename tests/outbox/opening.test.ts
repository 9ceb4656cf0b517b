// @node-only: it uses files and LevelDB

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { memory } from 'alvarium-sdk'
import { ClassicLevel } from 'classic-level'
import { describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { absent, opened } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { flipBitAt, largest } from '../support/stored-files.js'

// What goes wrong while a store is opened, and is no damage. For damage see rot.test.ts.

const MANY = 300
const names = Array.from({ length: MANY }, (_, at) => `<message ${at + 1}>`.padEnd(400, '.'))

/** A store with messages in a table, of which one may be damaged. */
async function inTables(): Promise<string> {
  const store = newPlace()
  const box = await opened({ stream: absent(), store })
  await Promise.all(names.map((name) => box.publish(utf8(name))))
  await box.close()
  await (await opened({ stream: absent(), store })).close()
  return store
}

async function deliveredFrom(store: string) {
  const stream = memory()
  const box = await opened({ stream, store })
  await vi.waitFor(() => expect(box.stored.messages).toBe(0))
  await box.close()
  return { delivered: stream.messages.map(textOf), damaged: box.stats().damaged }
}

/** All but LevelDB's log in words, and its lock, by their names. It leaves empty logs, which it removes itself. */
function contentsOf(store: string): Record<string, string> {
  const files = readdirSync(store, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !/^LO(G|CK)/.test(entry.name))
    .map(({ name }) => name)
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(store, name), 'latin1')]))
}

const salvagesIn = (store: string) => readdirSync(store).filter((name) => name.startsWith('salvage'))

/** Folders with the names that LevelDB would give the next list of its files, so that it cannot write one. */
function blockLists(store: string): () => void {
  const numbers = Array.from({ length: 40 }, (_, at) => `MANIFEST-${String(at).padStart(6, '0')}`)
  const made = numbers.map((name) => join(store, name)).filter((path) => !existsSync(path))
  for (const path of made) mkdirSync(path)
  return () => {
    for (const path of made) rmdirSync(path)
  }
}

const failed = (store: string) => opened({ stream: memory(), store }).catch((error) => error)

describe('a store that cannot be opened, and is not damaged', () => {
  // claim: delivery-40
  it('says why, stays as it is, lets go of its lock, and has everything once it can be opened', async () => {
    const store = await inTables()
    const unblock = blockLists(store)
    const before = contentsOf(store)
    for (const _ of [1, 2, 3]) {
      const error = await failed(store)
      expect(error).toMatchObject({ code: 'STORE_FAILED' })
      expect(error.message).toMatch(/MANIFEST-.*directory/i)
      expect(contentsOf(store)).toMatchObject(before)
      expect(salvagesIn(store)).toEqual([])
    }
    unblock()
    const level = new ClassicLevel(store)
    await level.open()
    await level.close()
    expect(await deliveredFrom(store)).toEqual({ delivered: names, damaged: 0 })
  })

  it('gets its damaged table back, which is searched once it can be opened', async () => {
    const store = await inTables()
    flipBitAt(largest(store, 'ldb'), '<message 50>')
    const unblock = blockLists(store)
    const before = contentsOf(store)
    expect(await failed(store)).toMatchObject({ code: 'STORE_FAILED' })
    expect(contentsOf(store)).toMatchObject(before)
    unblock()
    expect(await deliveredFrom(store)).toEqual({ delivered: names.filter((_, at) => at !== 49), damaged: 1 })
  })

  // claim: threats-70, delivery-41
  it.runIf(process.platform !== 'win32')(
    'after LevelDB has tidied up keeps what was there before, once, and names it',
    async () => {
      const store = await inTables()
      const table = largest(store, 'ldb')
      renameSync(table, `${table}.away`)
      // LevelDB looks into its tables after it has opened them.
      symlinkSync(table, table)
      for (const _ of [1, 2, 3]) {
        const error = await failed(store)
        expect(error).toMatchObject({ code: 'STORE_FAILED', cause: expect.any(Error) })
        const [salvage, ...others] = salvagesIn(store)
        expect(others).toEqual([])
        expect(error.message).toContain(join(store, salvage ?? 'none'))
      }
      rmSync(table)
      renameSync(`${table}.away`, table)
      expect(await deliveredFrom(store)).toEqual({ delivered: names, damaged: 0 })
      expect(salvagesIn(store)).toEqual([])
    },
  )

  it('searches no copy of its files that was not finished, and removes it', async () => {
    const store = await inTables()
    mkdirSync(join(store, 'salvage-1.part'))
    writeFileSync(join(store, 'salvage-1.part', '000001.log'), 'half of it')
    expect(await deliveredFrom(store)).toEqual({ delivered: names, damaged: 0 })
    expect(salvagesIn(store)).toEqual([])
  })
})
