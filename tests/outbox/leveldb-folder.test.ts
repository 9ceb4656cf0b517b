// @node-only: it uses files

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { memory } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, vi } from 'vitest'
import { textOf } from '../support/bytes.js'
import { absent, opened } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { flipBitAt } from '../support/stored-files.js'

// A folder by version 5142813d, which stored in LevelDB: messages 1 to 12 in a table, 13 to 22 in a log, of which 1
// to 3 are delivered. Every tenth is longer than a block of the log.

const FILES: Record<string, string> = JSON.parse(
  readFileSync(new URL('./leveldb-folder.json', import.meta.url), 'utf8'),
)
const messageOf = (number: number) => `message ${number} `.padEnd(number % 10 === 0 ? 40_000 : 300, '.')
const LEFT = Array.from({ length: 19 }, (_, at) => messageOf(at + 4))

function folder(): string {
  const store = newPlace()
  for (const [name, packed] of Object.entries(FILES)) {
    mkdirSync(dirname(join(store, name)), { recursive: true })
    writeFileSync(join(store, name), inflateSync(Buffer.from(packed, 'base64')))
  }
  return store
}

async function outcome(store: string) {
  const stream = memory()
  const box = outbox({ stream, store, closeTimeoutMs: 1000 })
  const gone: unknown[] = []
  box.addEventListener('damaged', ({ numbers, count }) => gone.push([numbers, count]))
  await box.connect()
  await vi.waitFor(() => expect(box.stored.messages).toBe(0))
  await box.close()
  return { delivered: stream.messages.map(textOf), gone }
}

describe('an outbox folder with the LevelDB files of an earlier version', () => {
  // claim: delivery-77
  it('is read, and the LevelDB files are removed when their messages are delivered', async () => {
    const store = folder()
    const box = await opened({ stream: absent(), store })
    expect(box.stored.messages).toBe(19)
    await box.close()
    expect(readdirSync(store)).toContain('000009.log')
    expect(await outcome(store)).toEqual({ delivered: LEFT, gone: [] })
    expect(readdirSync(store).sort()).toEqual(['mark', 'mark-copy', 'owner'])
    expect(await outcome(store)).toEqual({ delivered: [], gone: [] })
  })

  it.each(['CURRENT', 'MANIFEST-000007'])('is read even if the file %s is missing', async (name) => {
    const store = folder()
    rmSync(join(store, name))
    expect(await outcome(store)).toEqual({ delivered: LEFT, gone: [] })
  })

  it.each([
    ['a table', '000005.ldb', 5],
    ['a log', '000009.log', 20],
  ])('loses only the message that is altered in %s', async (_, name, number) => {
    const store = folder()
    flipBitAt(join(store, name), `message ${number} `)
    expect(await outcome(store)).toEqual({
      delivered: LEFT.filter((text) => text !== messageOf(number)),
      gone: [[[[number, number]], 1]],
    })
  })

  it('sends all messages in its files again if its mark is missing', async () => {
    const store = folder()
    for (const name of ['mark', 'mark-copy']) rmSync(join(store, name))
    const { delivered, gone } = await outcome(store)
    expect([delivered, gone]).toEqual([[1, 2, 3].map(messageOf).concat(LEFT), [[[], 0]]])
  })
})

// claim: troubleshooting-7
it('an outbox refuses the LevelDB of another program, and does not change the files', async () => {
  const store = newPlace()
  const files = ['CURRENT', 'LOCK', '000003.log', 'MANIFEST-000002']
  for (const name of files) writeFileSync(join(store, name), 'theirs')
  const error = await opened({ stream: memory(), store }).catch((thrown) => thrown)
  expect(error).toMatchObject({ code: 'STORE_DAMAGED' })
  expect(error.message).toContain(store)
  expect(error.message).toMatch(/move them away, or name another folder/)
  expect(readdirSync(store).sort()).toEqual(files.sort())
})
