import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cbor, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { file } from 'alvarium-sdk/file'
import { describe, expect, it, onTestFinished } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { eachInAFolder, opened, place } from '../support/file-stream.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

const payload = utf8('hello')
eachInAFolder()
const linesOf = async (name: string) => (await readFile(name, 'utf8')).split('\n').slice(0, -1)
const line = (text: string) => utf8(JSON.stringify(text))

/** Mounts a separate disk of 256 KiB, as root on Linux. */
function mountDisk(skip: (note: string) => never): void {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=262144', 'tmpfs', place.folder], { stdio: 'ignore' })
  } catch {
    skip('no disk can be mounted here')
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', place.folder]))
}

/** Starts another process that has written a line and keeps the file open. */
async function startWriter(path: string) {
  const script = `
    import { file } from 'alvarium-sdk/file'
    const stream = file({ path: process.argv[1] })
    await stream.connect()
    await stream.publish(new TextEncoder().encode('"a"'))
    console.log('ready')
    setInterval(() => {}, 1000)`
  const args = ['--input-type=module', '-e', script, path]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

describe('a stream to a file', () => {
  it('writes a line for each message, in the order of the calls, and each line verifies', async () => {
    const stream = file({ path: place.path })
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
    const payloads = Array.from({ length: 50 }, (_, at) => utf8(`payload ${at}`))
    await Promise.all(payloads.map((one) => sdk.create(one)))
    await sdk.close()
    const lines = await linesOf(place.path)
    expect(lines).toHaveLength(50)
    for (const [at, one] of lines.entries())
      await verifyMessage(utf8(one), { keyring, payload: payloads[at] })
  })

  // claim: threats-73
  it('creates a file that is readable only by its owner', async () => {
    await opened()
    expect((await stat(place.path)).mode & 0o077).toBe(0)
  })

  it.each(['always', 'never'] as const)(
    'has written the line when the call resolves, with sync %s',
    async (sync) => {
      const stream = await opened({ sync })
      await stream.publish(line('a'))
      expect(await linesOf(place.path)).toEqual(['"a"'])
    },
  )

  it('continues at the end of an existing file', async () => {
    for (const text of ['a', 'b']) {
      const stream = await opened()
      await stream.publish(line(text))
      await stream.close()
    }
    expect(await linesOf(place.path)).toEqual(['"a"', '"b"'])
  })

  it('ends a torn last line with a line end, logs a warning, and removes nothing', async () => {
    await writeFile(place.path, '"a"\n"tor')
    const warned: unknown[] = []
    const log = () => {}
    const stream = closing(file({ path: place.path }))
    const logger = {
      debug: log,
      info: log,
      error: log,
      warn: (_: unknown, text: unknown) => void warned.push(text),
    }
    await stream.connect({ logger })
    await stream.publish(line('b'))
    expect(await linesOf(place.path)).toEqual(['"a"', '"tor', '"b"'])
    expect(warned).toEqual(['file: its last line was torn, and is no message'])
  })

  // claim: threats-74, streams-3
  it('begins another file before a file exceeds maxBytes, and keeps the full ones', async () => {
    const stream = await opened({ maxBytes: 1024 })
    const texts = Array.from({ length: 40 }, (_, at) => `${at}`.padEnd(98, '.'))
    await Promise.all(texts.slice(0, 25).map((text) => stream.publish(line(text))))
    await stream.close()
    const again = await opened({ maxBytes: 1024 })
    for (const text of texts.slice(25)) await again.publish(line(text))
    await again.publish(line('x'.repeat(3000)))
    await again.publish(line('y'))
    const names = (await readdir(place.folder)).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    const inOrder = [...names.slice(1), 'audit.ndjson']
    const all = await Promise.all(inOrder.map((name) => linesOf(join(place.folder, name))))
    expect(names.length).toBeGreaterThan(4)
    expect(all.flat().map((one) => JSON.parse(one))).toEqual([...texts, 'x'.repeat(3000), 'y'])
    const sizes = await Promise.all(inOrder.map(async (name) => (await stat(join(place.folder, name))).size))
    expect(sizes.filter((size) => size > 1024)).toHaveLength(1)
  })

  it('removes the oldest full file when there are more than maxFiles', async () => {
    const stream = await opened({ maxBytes: 1024, maxFiles: 2 })
    for (let at = 0; at < 6; at++) await stream.publish(line(`${at}`.padEnd(900, '.')))
    expect((await readdir(place.folder)).sort()).toEqual(['audit.ndjson', 'audit.ndjson.4', 'audit.ndjson.5'])
  })

  it('removes the part of a message that did not fit on the disk, and accepts the next message', async ({
    skip,
  }) => {
    mountDisk(skip)
    const ballast = join(place.folder, 'ballast')
    await writeFile(ballast, new Uint8Array(131_072))
    const stream = await opened()
    await stream.publish(line('a'))
    await expect(stream.publish(line('x'.repeat(200_000)))).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(await readFile(place.path, 'utf8')).toBe('"a"\n')
    await rm(ballast)
    await stream.publish(line('b'))
    expect(await linesOf(place.path)).toEqual(['"a"', '"b"'])
  })

  it('accepts no more messages after a failed write that may have changed the file', async () => {
    const script = `
      import { file } from 'alvarium-sdk/file'
      process.on('SIGXFSZ', () => {})
      const stream = file({ path: process.argv[1] })
      await stream.connect()
      const code = (message) => stream.publish(new TextEncoder().encode(message)).then(() => 'ok', ({ code }) => code)
      console.log(await code('"' + 'x'.repeat(200_000) + '"'), await code('"b"'))`
    // A limit of 100 KiB for the file: unlike a full disk, it is permanent.
    const run = 'ulimit -f 100 && exec "$0" --input-type=module -e "$1" "$2"'
    const said = execFileSync('bash', ['-c', run, process.execPath, script, place.path], { encoding: 'utf8' })
    expect(said.trim()).toBe('STORE_FAILED STORE_FAILED')
    expect(await readFile(place.path, 'utf8')).toBe('')
  })

  it('queues no more bytes than maxQueuedBytes', async () => {
    const stream = await opened({ maxQueuedBytes: 100 })
    const calls = await Promise.allSettled([1, 2, 3].map(() => stream.publish(line('x'.repeat(60)))))
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(calls[1]).toMatchObject({ reason: { code: 'QUEUE_FULL' } })
    await stream.publish(line('again'))
  })

  it('refuses messages that are not one line of JSON', async () => {
    const stream = file({ path: place.path })
    const sdk = closing(
      await openSdk({ signingKey: key.signingKey, annotators: [source()], stream, codec: cbor() }),
    )
    await expect(sdk.create(payload)).rejects.toMatchObject({ code: 'STREAM_REFUSED' })
    await expect(stream.publish(utf8('{}\n{}'))).rejects.toMatchObject({ code: 'STREAM_REFUSED' })
    expect(await linesOf(place.path)).toEqual([])
  })

  it('rejects messages before connect(), and rejects connect() after close() or if the folder does not exist', async () => {
    const stream = file({ path: join(place.folder, 'no', 'such') })
    await expect(stream.publish(line('a'))).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
    await expect(stream.connect()).rejects.toMatchObject({ code: 'STORE_FAILED' })
    await stream.close()
    await expect(stream.connect()).rejects.toMatchObject({ code: 'STREAM_CLOSED' })
  })

  it('names an invalid option', () => {
    expect(() => file({ path: place.path, sync: 'allways' as never })).toThrow(
      'file.sync: expected always or never (always?)',
    )
    expect(() => file({ path: place.path, maxBytes: 1 })).toThrow(
      'file.maxBytes: expected an integer from 1024',
    )
  })
})

describe('a second file() stream with the same file', () => {
  // claim: streams-4
  it('is refused in the same process until the first stream is closed, even if the path is spelt differently', async () => {
    const first = await opened()
    await symlink(place.path, join(place.folder, 'link.ndjson'))
    for (const path of [place.path, `${place.folder}/./audit.ndjson`, join(place.folder, 'link.ndjson')]) {
      const second = closing(file({ path }))
      await expect(second.connect()).rejects.toMatchObject({
        code: 'STORE_LOCKED',
        message: expect.stringContaining(place.path),
      })
    }
    await first.publish(line('a'))
    await first.close()
    const second = await opened()
    await second.publish(line('b'))
    expect(await linesOf(place.path)).toEqual(['"a"', '"b"'])
  })

  // claim: streams-5
  it('is refused in another process until the first process ends', async ({ skip }) => {
    if (process.platform !== 'linux') return skip('the lock between processes is of Linux and Windows')
    const other = await startWriter(place.path)
    const stream = closing(file({ path: place.path }))
    await expect(stream.connect()).rejects.toMatchObject({ code: 'STORE_LOCKED' })
    const ended = once(other, 'exit')
    other.kill('SIGKILL')
    await ended
    await stream.connect()
    await stream.publish(line('b'))
    expect(await linesOf(place.path)).toEqual(['"a"', '"b"'])
  })
})

it("a stream to a file skips the numbers of other programs' files when it renames a full file", async () => {
  const stream = await opened({ maxBytes: 1024 })
  await stream.publish(line('x'.repeat(1000)))
  await writeFile(`${place.path}.1`, '"theirs"\n')
  await stream.publish(line('b'.repeat(100)))
  expect(await linesOf(`${place.path}.1`)).toEqual(['"theirs"'])
  expect(await linesOf(`${place.path}.2`)).toHaveLength(1)
})

it('a stream to a file creates the file again after it was removed', async () => {
  const stream = await opened()
  await stream.publish(line('a'))
  await rm(place.path)
  await stream.publish(line('b'))
  expect(await linesOf(place.path)).toEqual(['"b"'])
})

it("a stream to a file ends another program's torn line before it writes its own line", async () => {
  const stream = await opened()
  await stream.publish(line('a'))
  await appendFile(place.path, '"thei')
  await stream.publish(line('b'))
  expect(await linesOf(place.path)).toEqual(['"a"', '"thei', '"b"'])
})

it('a stream to a file does not change the lines of other programs', async () => {
  const stream = await opened()
  await stream.publish(line('a'))
  await appendFile(place.path, '"theirs"\n')
  await stream.publish(line('b'))
  expect(await linesOf(place.path)).toEqual(['"a"', '"theirs"', '"b"'])
})

it('a stream to a file creates the file again after another program has moved it, even if it was not full', async () => {
  const stream = await opened({ maxBytes: 1024 })
  await stream.publish(line('a'))
  await rename(place.path, `${place.path}.monday`)
  await stream.publish(line('b'.repeat(600)))
  await rename(place.path, `${place.path}.tuesday`)
  await stream.publish(line('c'.repeat(600)))
  expect((await readdir(place.folder)).sort()).toEqual(
    ['', '.monday', '.tuesday'].map((end) => `audit.ndjson${end}`),
  )
  expect(await linesOf(place.path)).toEqual([JSON.stringify('c'.repeat(600))])
})

it('a stream to a file retries a rotation that failed because descriptors were exhausted', async () => {
  const script = `
    import { closeSync, openSync } from 'node:fs'
    import { file } from 'alvarium-sdk/file'
    const stream = file({ path: process.argv[1], maxBytes: 1024 })
    await stream.connect()
    const code = () => stream.publish(new TextEncoder().encode('"' + 'x'.repeat(600) + '"')).then(() => 'ok', ({ code }) => code)
    const said = [await code()]
    const held = []
    try { for (;;) held.push(openSync('/dev/null')) } catch {}
    said.push(await code())
    // One is enough to reserve the next name, and none is left to open the file anew.
    closeSync(held.pop())
    said.push(await code())
    for (const each of held) closeSync(each)
    console.log(said.join(' '), await code(), await code())`
  const run = 'ulimit -n 64 && exec "$0" --input-type=module -e "$1" "$2"'
  const said = execFileSync('bash', ['-c', run, process.execPath, script, place.path], { encoding: 'utf8' })
  expect(said.trim()).toMatch(/^ok STORE_FAILED (ok|STORE_FAILED) ok ok$/)
  const names = await readdir(place.folder)
  const all = await Promise.all(names.map((name) => linesOf(join(place.folder, name))))
  expect(all.every((lines) => lines.length === 1)).toBe(true)
})

it('calls that wait for ready() never exceed the queue of a stream to a file', async () => {
  const stream = file({ path: place.path, maxQueuedBytes: 10_000 })
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
  const calls: Promise<unknown>[] = []
  for (let call = 0; call < 60; call++) {
    await sdk.ready()
    calls.push(sdk.create(payload))
  }
  await Promise.all(calls)
  await sdk.close()
  expect(await linesOf(place.path)).toHaveLength(60)
})
