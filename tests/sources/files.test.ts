// @node-only: it uses node:fs, node:fs/promises, node:os, node:path, node:stream, node:url

import { createReadStream, openAsBlob } from 'node:fs'
import { appendFile, mkdtemp, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { keyOf } from 'alvarium-sdk'
import { hashing } from 'alvarium-sdk/sources'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { bytesOf } from './support.js'

const bytes = bytesOf(1_000_000)
let folder: string
let path: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alvarium-sources-'))
  path = join(folder, 'a.bin')
  await writeFile(path, bytes)
})
afterAll(() => rm(folder, { recursive: true }))

describe('openAsSource', () => {
  it('reads a file by its path or URL, as often as the source is used, and states the size', async () => {
    const source = await openAsSource(path)
    expect(source.size).toBe(1_000_000)
    const both = [
      keyOf(source),
      keyOf(source),
      keyOf(await openAsSource(pathToFileURL(path)), 'sha256', { engine: 'wasm' }),
    ]
    expect(await Promise.all(both)).toEqual(Array(3).fill(keyOf(bytes)))
  })

  // claim: sources-28
  it('refuses a file that is overwritten while it is read, even if its time is reset', async () => {
    const file = join(folder, 'overwritten')
    await writeFile(file, bytes)
    const { atime, mtime } = await stat(file)
    await utimes(file, atime, mtime)
    const source = await openAsSource(file)
    const read = async () => {
      let isFirst = true
      for await (const _ of source) {
        if (isFirst) {
          await writeFile(
            file,
            bytes.map((byte) => byte ^ 1),
          )
          await utimes(file, atime, mtime)
        }
        isFirst = false
      }
    }
    await expect(read()).rejects.toThrow(
      'expected a file that does not change while it is read, got another time of change',
    )
  })

  it('reads an empty file', async () => {
    await writeFile(join(folder, 'empty'), '')
    expect(await keyOf(await openAsSource(join(folder, 'empty')))).toBe(keyOf(new Uint8Array(0)))
  })

  it('refuses a missing file, and anything that is not a regular file', async () => {
    await expect(openAsSource(join(folder, 'none'))).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
      cause: { code: 'ENOENT' },
    })
    await expect(openAsSource(folder)).rejects.toThrow('expected a regular file')
    await expect(openAsSource('/dev/zero')).rejects.toThrow('expected a regular file')
  })

  // claim: sources-8
  it.each<[string, (path: string) => Promise<void>]>([
    ['grows', (path) => appendFile(path, 'x')],
    [
      'is overwritten with as many bytes',
      (path) =>
        writeFile(
          path,
          bytes.map((byte) => byte ^ 1),
        ),
    ],
    ['is touched', (path) => utimes(path, 1, 1)],
    [
      'is replaced by another file',
      async (path) => {
        await writeFile(`${path}.new`, bytes)
        await rename(`${path}.new`, path)
      },
    ],
    ['is truncated', (path) => writeFile(path, 'x')],
  ])('refuses a file that %s, before or while it is read', async (_, change) => {
    const changing = join(folder, 'changing')
    await writeFile(changing, bytes)
    const before = await openAsSource(changing)
    await change(changing)
    await expect(keyOf(before)).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
    await writeFile(changing, bytes)
    const source = await openAsSource(changing)
    async function* changed() {
      let isFirst = true
      for await (const piece of source) {
        yield piece
        if (isFirst) await change(changing)
        isFirst = false
      }
    }
    await expect(keyOf(changed())).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
  })

  it('closes the file when the reading is aborted', async () => {
    const source = await openAsSource(path)
    const controller = new AbortController()
    const iterator = source[Symbol.asyncIterator]()
    const reading = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          controller.abort(new Error('enough'))
          return iterator.next()
        },
        return: async () => {
          const ended = await iterator.return?.(undefined)
          return ended as IteratorResult<Uint8Array>
        },
      }),
    }
    await expect(keyOf(reading, 'sha256', { signal: controller.signal })).rejects.toThrow('enough')
  })
})

describe('a file object of Node', () => {
  // claim: sources-9
  it('is accepted if it is an unread stream or an unchanged Blob, and is refused otherwise', async () => {
    const stream = createReadStream(path)
    expect(await keyOf(stream)).toBe(keyOf(bytes))
    await expect(keyOf(stream)).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
    await expect(keyOf(createReadStream(path, 'utf8'))).rejects.toBeInstanceOf(TypeError)
    const changing = join(folder, 'blob')
    await writeFile(changing, bytes)
    const blob = await openAsBlob(changing)
    expect(await keyOf(blob)).toBe(keyOf(bytes))
    await appendFile(changing, 'x')
    await expect(keyOf(blob)).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' })
  })

  it('is accepted with pieces in shared memory', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(5))
    shared.set(utf8('hello'))
    for (const engine of ['host', 'wasm'] as const) {
      const source = Readable.from([shared], { objectMode: true })
      expect(await keyOf(source, 'sha256', { engine })).toBe(keyOf(utf8('hello')))
    }
  })

  it('passes through hashing() to any destination', async () => {
    const passing = hashing()
    const key = keyOf(passing)
    const web = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>
    let length = 0
    for await (const piece of web.pipeThrough(passing) as unknown as AsyncIterable<Uint8Array>)
      length += piece.length
    expect([length, await key]).toEqual([bytes.length, keyOf(bytes)])
    expect(await keyOf(Readable.from([utf8('a')]))).toBe(keyOf(utf8('a')))
  })
})
