import { appendFile, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { file } from 'alvarium-sdk/file'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { eachInAFolder, opened, place } from '../support/file-stream.js'
import { closing } from '../support/receiving.js'

eachInAFolder()

const message = (bytes: number) => utf8(`"${'x'.repeat(bytes - 2)}"`)
const sizes = async () => {
  const names = (await readdir(place.folder)).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return Promise.all(
    names.map(async (name) => [basename(name).slice(12), (await stat(join(place.folder, name))).size]),
  )
}

describe('file() begins another file', () => {
  it.each([
    ['one after the other', false],
    ['at once', true],
  ])('for the message that would exceed maxBytes by one byte, when messages arrive %s', async (_, atOnce) => {
    const stream = await opened({ maxBytes: 1024 })
    // The lengths with the ends of lines: 512 and 512, then 512 and 513.
    const calls = [511, 511, 511, 512].map((bytes) => () => stream.publish(message(bytes)))
    if (atOnce) await Promise.all(calls.map((call) => call()))
    else for (const call of calls) await call()
    expect(await sizes()).toEqual([
      ['', 513],
      ['.1', 1024],
      ['.2', 512],
    ])
  })

  it('after a message longer than maxBytes, but not before such a message if the file is empty', async () => {
    const stream = await opened({ maxBytes: 1024 })
    await Promise.all([stream.publish(message(3000)), stream.publish(message(3))])
    expect(await sizes()).toEqual([
      ['', 4],
      ['.1', 3001],
    ])
  })

  it('when the next message and the line end added to a torn last line would exceed maxBytes', async () => {
    await writeFile(place.path, 'x'.repeat(1000))
    const stream = await opened({ maxBytes: 1024 })
    await stream.publish(message(22))
    expect(await sizes()).toEqual([['', 1024]])
    await stream.publish(message(3))
    expect(await sizes()).toEqual([
      ['', 4],
      ['.1', 1024],
    ])
  })

  it('with the number after the highest existing one, and does not change files with similar names', async () => {
    const ours = ['.2', '.10']
    const others = ['.007', '.0', '.1a', '.a1', '.1234567890123456', 'x.30', '.bak']
    for (const end of [...ours, ...others]) await writeFile(`${place.path}${end}`, '')
    await writeFile(join(place.folder, 'other.ndjson.40'), '')
    const stream = await opened({ maxBytes: 1024, maxFiles: 1 })
    for (let at = 0; at < 2; at++) await stream.publish(message(1000))
    const left = new Set(await readdir(place.folder))
    expect(left).toEqual(
      new Set(['', '.11', ...others].map((end) => `audit.ndjson${end}`).concat('other.ndjson.40')),
    )
  })
})

describe('the queue of file()', () => {
  it('accepts as many bytes as its limit, and not one more', async () => {
    const stream = await opened({ maxQueuedBytes: 100 })
    const calls = [message(60), message(40), utf8('1')].map((one) => stream.publish(one))
    const [, second, third] = await Promise.allSettled(calls)
    expect(second?.status).toBe('fulfilled')
    expect(third).toMatchObject({
      reason: { message: 'file: expected at most 100 bytes that wait for the disk, got 101' },
    })
    await stream.publish(message(100))
  })

  it('accepts a message longer than the limit if the queue is empty', async () => {
    const stream = await opened({ maxQueuedBytes: 100 })
    await stream.publish(message(500))
    expect(await sizes()).toEqual([['', 501]])
  })
})

describe('an error of file()', () => {
  // claim: streams-2
  it('names the expected and the given value', async () => {
    const stream = file({ path: place.path })
    const publish = (bytes: Uint8Array, contentType?: string) =>
      stream.publish(bytes, contentType === undefined ? {} : { contentType }).then(
        () => 'written',
        (error) => `${error.code} ${error.message}`,
      )
    const closed = 'STREAM_CLOSED file: is closed'
    expect(await publish(message(3))).toBe('STREAM_CLOSED file: is not connected: call connect() first')
    await stream.connect()
    expect(await publish(message(3), 'application/cbor')).toBe(
      'STREAM_REFUSED file: expected a message that is a line of JSON, got application/cbor: leave the codec as it is',
    )
    expect(await publish(message(3), 'application/json')).toBe('written')
    await stream.close()
    expect(await publish(message(3))).toBe(closed)
    await expect(stream.connect()).rejects.toThrow('file: is closed')
    await expect(closing(file({ path: join(place.path, 'x') })).connect()).rejects.toThrow(
      /^file: expected a file that can be opened, got: .*(ENOTDIR|not a directory)/,
    )
  })

  it('is replaced by a logged warning if the last line of the file is torn', async () => {
    for (const [before, warnings] of [
      ['', []],
      ['"a"\n', []],
      ['"a', [[{ path: place.path }, 'file: its last line was torn, and is no message']]],
    ] as const) {
      await writeFile(place.path, before)
      const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
      const stream = file({ path: place.path })
      await stream.connect({ logger })
      await stream.close()
      expect(logger.warn.mock.calls).toEqual(warnings)
    }
  })

  it("is the reason of the call's aborted signal, and the message is not written", async () => {
    const stream = await opened()
    const reason = new Error('enough')
    await expect(stream.publish(message(3), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(await readFile(place.path, 'utf8')).toBe('')
  })
})

it("a stream to a file keeps another program's bytes after a failed write", async () => {
  const handle = await open(place.folder)
  const methods = Object.getPrototypeOf(handle) as { write(bytes: Uint8Array): Promise<object> }
  await handle.close()
  const write = vi.spyOn(methods, 'write')
  onTestFinished(() => write.mockRestore())
  const stream = await opened()
  write.mockImplementationOnce(async () => {
    await appendFile(place.path, '"ou')
    return { bytesWritten: 3 }
  })
  write.mockImplementationOnce(async () => {
    await appendFile(place.path, ' theirs\n')
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
  })
  await expect(stream.publish(utf8('"ours"'))).rejects.toMatchObject({ code: 'STORE_FAILED' })
  await stream.publish(utf8('"next"'))
  expect(await readFile(place.path, 'utf8')).toBe('"ou theirs\n"next"\n')
})

describe("a stream's file on disk", () => {
  /** Counts the requests to Node's file handles to flush to the disk. */
  async function flushes() {
    const handle = await open(place.folder)
    const methods = Object.getPrototypeOf(handle) as { datasync(): Promise<void>; sync(): Promise<void> }
    await handle.close()
    const spies = { data: vi.spyOn(methods, 'datasync'), folder: vi.spyOn(methods, 'sync') }
    onTestFinished(() => void vi.restoreAllMocks())
    return spies
  }

  // claim: streams-1
  it('is flushed once for messages that arrive together, and its folder is flushed once for each new file', async () => {
    const { data, folder: named } = await flushes()
    const stream = await opened({ maxBytes: 1024 })
    expect(named).toHaveBeenCalledTimes(1)
    await Promise.all(Array.from({ length: 10 }, () => stream.publish(message(50))))
    expect(data).toHaveBeenCalledTimes(1)
    await stream.publish(message(900))
    expect(data).toHaveBeenCalledTimes(2)
    expect(named).toHaveBeenCalledTimes(2)
  })

  it('is not flushed with sync: "never"', async () => {
    const { data, folder: named } = await flushes()
    const stream = await opened({ sync: 'never', maxBytes: 1024 })
    for (let at = 0; at < 2; at++) await stream.publish(message(1000))
    expect([data.mock.calls.length, named.mock.calls.length]).toEqual([0, 0])
  })

  it('is not read to learn its size if the stream itself has begun the file', async () => {
    const handle = await open(place.folder)
    const reads = vi.spyOn(Object.getPrototypeOf(handle) as { read(): unknown }, 'read')
    onTestFinished(() => reads.mockRestore())
    await handle.close()
    const stream = await opened({ maxBytes: 1024 })
    for (let at = 0; at < 4; at++) await stream.publish(message(600))
    expect(reads).not.toHaveBeenCalled()
  })

  it('gets no more messages after a failed flush, because nobody knows which bytes were written', async () => {
    const { data } = await flushes()
    data.mockRejectedValueOnce(new Error('input/output error'))
    const stream = await opened()
    for (let at = 0; at < 2; at++) {
      await expect(stream.publish(message(3))).rejects.toMatchObject({
        code: 'STORE_FAILED',
        message: 'file: expected the message to be written, got: input/output error',
        cause: { message: 'input/output error' },
      })
    }
    expect(data).toHaveBeenCalledTimes(1)
  })
})
