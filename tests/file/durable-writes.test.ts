// @own-process: it follows each call of node:fs

import { once } from 'node:events'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { AlvariumError, generateKey, toHex } from 'alvarium-sdk'
import { file } from 'alvarium-sdk/file'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { alvarium } from '../cli/command.js'
import { publishTo, whileListening } from '../cli/listening.js'
import { signer } from '../cli/messages.js'
import { utf8 } from '../support/bytes.js'
import { type Disk, recordDisk } from '../support/disk.js'
import { opened, outgoing } from '../support/outgoing.js'
import { closing } from '../support/receiving.js'

// Each call that reports stored data is checked: a loss of power at that moment loses none of it.

type Place = Awaited<ReturnType<typeof signer>>

/** Makes calls, and runs `kept` whenever one reports stored data. */
type Writes = (place: Place, kept: () => void) => Promise<void>

const line = (bytes: number) => utf8(`"${'x'.repeat(bytes - 2)}"`)

async function publishAll({ at }: Place, kept: () => void, meanwhile = async () => {}): Promise<void> {
  const stream = closing(file({ path: at('audit.ndjson'), maxBytes: 1024 }))
  await stream.connect()
  for (let round = 0; round < 3; round++) {
    await stream.publish(line(600))
    kept()
    if (round === 0) await meanwhile()
  }
  await Promise.all([stream.publish(line(600)), stream.publish(line(600))])
  kept()
}

const STREAM: Record<string, Writes> = {
  'a new file, and the files that follow a full file': publishAll,
  'a file with a torn line': async (place, kept) => {
    writeFileSync(place.at('audit.ndjson'), '"to')
    await publishAll(place, kept)
  },
  'a file that was removed': (place, kept) => publishAll(place, kept, () => rm(place.at('audit.ndjson'))),
  'a file to which another program writes': (place, kept) =>
    publishAll(place, kept, async () => appendFileSync(place.at('audit.ndjson'), '"torn')),
}

/** Runs the command, and calls `kept` at each output and at its end. */
async function run(args: readonly string[], kept: () => void): Promise<void> {
  const { code, err } = await alvarium(args, { onOut: kept })
  expect(code, err).toBe(0)
  kept()
}

const CSV = 'id,celsius\n1,21.4\n2,19.8\n'
const annotating = (...more: string[]): Writes => {
  return async ({ at }, kept) => {
    writeFileSync(at('readings.csv'), CSV)
    await run(
      [
        'annotate',
        at('readings.csv'),
        '-k',
        at('private.key'),
        ...more.map((one) => (one.startsWith('@') ? at(one.slice(1)) : one)),
      ],
      kept,
    )
  }
}
const POLICY = (key = toHex(generateKey().verifyingKey)) =>
  `{"signers": [{"name": "gateway", "keys": ["${key}"]}]}`

const COMMAND: Record<string, Writes> = {
  keygen: ({ at }, kept) => run(['keygen', '--out', at('new.key'), '--public', at('new.pub')], kept),
  'keygen, in PEM': ({ at }, kept) =>
    run(['keygen', '--form', 'pem', '--out', at('new.key'), '--public', at('new.pub')], kept),
  'annotate --out': annotating('-o', '@out.ndjson'),
  'annotate --out, compressed': annotating('-o', '@out.ndjson.gz'),
  'annotate --out --resume': annotating('-o', '@out.ndjson', '--resume', '@journal.json'),
  'annotate --out --force': async (place, kept) => {
    writeFileSync(place.at('out.ndjson'), 'something else\n')
    await annotating('-o', '@out.ndjson', '--force')(place, kept)
  },
  'set seal, prove and update': async ({ at }, kept) => {
    const rows = at('readings.csv')
    writeFileSync(rows, CSV)
    writeFileSync(at('less.csv'), CSV.slice(0, -7))
    const seal = (from: string, name: string) =>
      run(
        ['set', 'seal', from, '-k', at('private.key'), '-o', at(`${name}.json`), '-l', at(`${name}.list`)],
        kept,
      )
    await seal(rows, 'set')
    await seal(at('less.csv'), 'less')
    await run(['set', 'prove', at('set.list'), '--record', '1', rows, '-o', at('proof.json')], kept)
    await run(['set', 'update', at('less.list'), at('set.list'), '-o', at('update.json')], kept)
  },
  'pack make and export': async (place, kept) => {
    const { at } = place
    await annotating('-o', '@out.ndjson', '--format', 'whole')(place, kept)
    writeFileSync(at('trust.json'), POLICY(readFileSync(at('public.key'), 'utf8')))
    const trust = ['-t', at('trust.json')]
    const payload = ['--payload', at('readings.csv')]
    await run(['pack', 'make', at('out.ndjson'), ...payload, ...trust, '-o', at('pack.zip')], kept)
    await run(['pack', 'export', at('pack.zip'), '--as', 'prov', ...trust, '-o', at('prov.json')], kept)
  },
  'listen --out --dead-letters': async ({ at, key, sealed }, kept) => {
    const broker = await startBroker()
    onTestFinished(broker.close)
    broker.aedes.on('ack', kept)
    const args = ['listen', broker.url, 't', ...key, '--client-id', 'archive', '--raw', '-n', '3']
    const files = ['-o', at('archive.ndjson'), '--dead-letters', at('letters.ndjson')]
    const { a, b, c } = await sealed()
    const messages = [a, utf8('{}'), b, c]
    const oneByOne = async () => {
      for (const message of messages) {
        const acknowledged = once(broker.aedes, 'ack')
        await publishTo(broker, 't', [message])
        await acknowledged
      }
    }
    const ran = await whileListening(broker, [...args, ...files], oneByOne)
    expect(readFileSync(at('letters.ndjson'), 'utf8'), ran.err).not.toBe('')
  },
  'trust add': async ({ at }, kept) => {
    await run(['trust', 'add', 'gateway', '-k', at('public.key'), '--trust', at('trust.json')], kept)
  },
  'trust revoke': async ({ at }, kept) => {
    writeFileSync(at('trust.json'), POLICY(), { mode: 0o600 })
    await run(['trust', 'revoke', 'gateway', '--trust', at('trust.json')], kept)
  },
}

/** Records the disk, and returns the data that a loss of power would lose at each report of stored data. */
async function losses(writes: Writes): Promise<{ disk: Disk; lost: string[] }> {
  const place = await signer()
  const disk = await recordDisk()
  const lost = new Set<string>()
  let moments = 0
  await writes(place, () => {
    moments++
    for (const one of disk.atRisk) lost.add(one)
  })
  expect(moments).toBeGreaterThan(0)
  return { disk, lost: [...lost] }
}

const OUTBOX: Record<string, Writes> = {
  'a message that an outbox in a new folder stores, and sets aside': async ({ at }, kept) => {
    const suspect = new AlvariumError('STREAM_SUSPECT', 'the broker hangs up')
    const stream = outgoing((text) => (text === 'poison' ? suspect : undefined))
    const box = await opened({ stream, store: at('new/outbox') })
    for (const text of ['one', 'poison']) {
      await box.publish(utf8(text))
      kept()
    }
    await vi.waitFor(() => expect(box.stats().setAside).toBe(1))
    kept()
  },
}

describe.each(Object.entries({ STREAM, OUTBOX, COMMAND }))(
  'a power failure during a test of the group %s',
  (_, table) => {
    // claim: command-24
    it.each(Object.entries(table))('loses no stored data: %s', async (_, writes) => {
      const { disk, lost } = await losses(writes)
      expect(disk.steps).toBeGreaterThan(0)
      expect({ lost, faults: disk.faults }).toEqual({ lost: [], faults: [] })
    })
  },
)
