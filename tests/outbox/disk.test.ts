// @node-only: it uses files

import { execFileSync } from 'node:child_process'
import { appendFile, readdir, stat, statfs, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AlvariumError, keyOf, memory, toHex } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { witness } from '../brokers/witness.js'
import { textOf, utf8 } from '../support/bytes.js'
import { drain, startOutbox } from '../support/outbox-process.js'
import { opened } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { key } from '../support/sdk.js'
import { largest, recordFiles } from '../support/stored-files.js'
import { verifiedAll } from '../support/verified.js'

const refusal = new AlvariumError('STREAM_UNREACHABLE', 'away')
const away = () => ({ connect: () => Promise.reject(refusal), publish: () => Promise.reject(refusal) })

async function storeThree(store: string): Promise<void> {
  const box = await opened({ stream: away(), store })
  for (const name of ['a', 'b', 'c']) await box.publish(utf8(name.padEnd(100)))
  await box.close()
}

async function delivered(store: string): Promise<string[]> {
  const stream = memory()
  const box = await opened({ stream, store })
  await vi.waitFor(() => expect(box.stored.messages).toBe(0))
  await (await box.publish(utf8('next'))).delivered
  return stream.messages.map((message) => textOf(message).trim())
}

describe('an outbox on a disk', () => {
  // claim: threats-62
  it('keeps all records except the last if the last record is truncated', async () => {
    const store = newPlace()
    await storeThree(store)
    const path = largest(store)
    await truncate(path, (await stat(path)).size - 7)
    expect(await delivered(store)).toEqual(['a', 'b', 'next'])
  })

  // claim: threats-71, threats-72
  it('has files that only their owner can read, even for messages that are set aside', async () => {
    const store = join(newPlace(), 'store')
    const stream = {
      publish: () => Promise.reject(new AlvariumError('STREAM_SUSPECT', 'the broker hangs up')),
    }
    const box = await opened({ stream, store })
    await box.publish(utf8('a'))
    await vi.waitFor(() => expect(box.stats().setAside).toBe(1))
    for (const folder of [store, join(store, 'set-aside')]) expect((await stat(folder)).mode & 0o077).toBe(0)
    expect(await readdir(join(store, 'set-aside'))).toHaveLength(1)
    await box.discard(1)
    expect(await readdir(join(store, 'set-aside'))).toEqual([])
  })

  it('names its folder in the error if the folder cannot be created', async () => {
    const store = join(newPlace(), 'file')
    await appendFile(store, 'not a folder')
    const error = await opened({ stream: memory(), store }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'STORE_FAILED' })
    expect(error.message).toContain('file')
  })
})

const MIB = 1024 * 1024

/** Mounts a small disk if possible: as root, on Linux. */
function smallDisk(bytes: number): string | undefined {
  const place = newPlace()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', place], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', place]))
  return place
}

it('an outbox on a full disk continues as soon as a message fits, and keeps nothing of rejected messages', async ({
  skip,
}) => {
  const disk = smallDisk(8 * MIB)
  if (disk === undefined) return skip('no disk can be mounted here')
  const [store, ballast] = [join(disk, 'store'), join(disk, 'ballast')]
  const box = await opened({ stream: away(), store })
  await box.publish(utf8('before'))
  const { bavail, bsize } = await statfs(disk)
  await writeFile(ballast, new Uint8Array(bavail * bsize))
  for (let time = 0; time < 3; time++) {
    const failed = await box.publish(new Uint8Array(MIB)).catch((error) => error)
    expect(failed).toMatchObject({ code: 'STORE_FAILED', cause: { code: 'ENOSPC' } })
  }
  expect(recordFiles(store)).toHaveLength(1)
  expect((await stat(largest(store))).size).toBeLessThan(1000)
  await truncate(ballast, bavail * bsize - 64 * 1024)
  await box.publish(utf8('after'))
  await box.close()
  expect(await delivered(store)).toEqual(['before', 'after', 'next'])
})

// The test runs on Linux, where another process can lift the limit for files.
// claim: threats-63, delivery-18, troubleshooting-5
it.runIf(process.platform === 'linux')(
  'an outbox rejects calls while its disk is full, loses nothing, and continues when there is room',
  async () => {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    const consumer = await witness(broker.url, 't')
    onTestFinished(consumer.close)
    const options = { url: broker.url, topic: 't', folder: newPlace(), key: toHex(key.signingKey), from: 0 }
    const user = startOutbox(options, "trap '' XFSZ; ulimit -S -f 1000;")
    await user.until(() => user.failed.length > 0)
    const before = user.stored.length
    execFileSync('prlimit', ['--pid', `${user.child.pid}`, '--fsize=unlimited:'])
    await user.until(() => user.stored.length > before + 500)
    await user.kill()
    expect(new Set(user.failed)).toEqual(new Set(['STORE_FAILED']))
    await drain(options)
    const bundles = await verifiedAll(await consumer.untilEnd())
    const keys = new Set(bundles.map((bundle) => bundle.key))
    expect(user.stored.filter((number) => !keys.has(keyOf(utf8(`${number}`))))).toEqual([])
  },
)

// claim: delivery-19
it('an outbox opens on a full disk, sends its messages, and stores again when there is room', async ({
  skip,
}) => {
  const disk = smallDisk(8 * MIB)
  if (disk === undefined) return skip('no disk can be mounted here')
  const [store, ballast] = [join(disk, 'store'), join(disk, 'ballast')]
  const names = Array.from({ length: 100 }, (_, at) => `${at}`)
  const box = await opened({ stream: away(), store })
  for (const name of names) await box.publish(utf8(name))
  await box.close()
  const { bavail, bsize } = await statfs(disk)
  await writeFile(ballast, new Uint8Array(bavail * bsize))
  const stream = memory()
  const full = await opened({ stream, store })
  await vi.waitFor(() => expect(full.stored.messages).toBe(0))
  expect(stream.messages.map(textOf)).toEqual(names)
  expect(full.stats().damaged).toBe(0)
  const failed = await full.publish(utf8('too early')).catch((error) => error)
  expect(failed).toMatchObject({ code: 'STORE_FAILED' })
  await full.close()
  // The disk is still full: no message is sent twice.
  const again = await opened({ stream, store })
  expect(again.stored.messages).toBe(0)
  await truncate(ballast, 0)
  await (await again.publish(utf8('after'))).delivered
  await again.close()
  expect(await delivered(store)).toEqual(['next'])
  expect(stream.messages.map(textOf)).toEqual([...names, 'after'])
})
