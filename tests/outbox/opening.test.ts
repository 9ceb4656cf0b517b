// @node-only: it uses files

import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { memory } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { absent, opened } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { largest } from '../support/stored-files.js'

// Failures to open a store that are no damage. For damage see rot.test.ts.

const names = Array.from({ length: 300 }, (_, at) => `<message ${at + 1}>`.padEnd(400, '.'))

async function fill(): Promise<string> {
  const store = newPlace()
  const box = await opened({ stream: absent(), store })
  await Promise.all(names.map((name) => box.publish(utf8(name))))
  await box.close()
  return store
}

async function deliveredFrom(store: string) {
  const stream = memory()
  const box = await opened({ stream, store })
  await vi.waitFor(() => expect(box.stored.messages).toBe(0))
  await box.close()
  return { delivered: stream.messages.map(textOf), damaged: box.stats().damaged }
}

function contentsOf(store: string): Record<string, string> {
  const files = readdirSync(store, { withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(files.map(({ name }) => [name, readFileSync(join(store, name), 'latin1')]))
}

const failed = (store: string) => opened({ stream: memory(), store }).catch((error) => error)

describe('an undamaged outbox store with an inaccessible file', () => {
  // claim: delivery-40
  it.runIf(process.platform !== 'win32')(
    'makes the outbox reject with the reason until the file is accessible, and loses no message',
    async () => {
      const store = await fill()
      const path = largest(store)
      renameSync(path, `${path}-away`)
      // A link to itself exists, but cannot be read.
      symlinkSync(path, path)
      const before = contentsOf(store)
      for (const _ of [1, 2, 3]) {
        const error = await failed(store)
        expect(error).toMatchObject({ code: 'STORE_FAILED', cause: { code: 'ELOOP' } })
        expect(error.message).toContain(path)
        expect(contentsOf(store)).toEqual(before)
      }
      rmSync(path)
      renameSync(`${path}-away`, path)
      expect(await deliveredFrom(store)).toEqual({ delivered: names, damaged: 0 })
    },
  )

  it('stores the next message after a file could not be created because a folder has the same name', async () => {
    const store = newPlace()
    const box = await opened({ stream: memory(), store })
    mkdirSync(join(store, 'records-1'))
    await expect(box.publish(utf8('one'))).rejects.toMatchObject({ code: 'STORE_FAILED' })
    await (await box.publish(utf8('two'))).delivered
    await box.close()
    rmdirSync(join(store, 'records-1'))
  })
})
