import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKey, toHex, verifyBatch, verifyMessage } from 'alvarium-sdk'
import { Completeness, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { readTrust } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { alvarium, folder } from '../cli/command.js'
import {
  bundleBy,
  checkpointBy,
  type LoggedMessage,
  leaseBy,
  type Party,
  stateOf,
} from '../support/by-hand.js'
import { craftedCheckpoint } from '../support/crafted.js'

/*
 * Attempts of signers, of holders of leases and of keepers of files to make a reader see more than the evidence
 * shows, written from FORMAT.md and the guide.
 */

const [device, other, holder, stranger] = [generateKey(), generateKey(), generateKey(), generateKey()]
const RUN = 'a'.repeat(32)
const clock = (minute: number) =>
  new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString().replace('Z', '000Z')
const bundleAt = (party: Party, minute: number) =>
  bundleBy(party, { payload: `${minute}`, timestamp: clock(minute) })
const log = [1, 2, 3].map((minute) => bundleAt(device, minute))

interface Lines extends Partial<Parameters<typeof checkpointBy>[1]> {}
const note = (given: Lines = {}, by: Party = device) =>
  checkpointBy(by, { run: RUN, number: 0, log, from: clock(0), at: clock(10), peaks: false, ...given })
const messagesOf = (some: readonly LoggedMessage[]) => some.map(({ message }) => message)

interface LogAttempt {
  readonly attempt: string
  readonly notes: readonly Uint8Array[]
  readonly messages: readonly LoggedMessage[]
  readonly verdict: string
}

const begin = note({ log: [] })
const pending = note({ number: 1, at: clock(11), pending: '2', from: clock(10) })
const LOGS: LogAttempt[] = [
  {
    attempt: 'omits the checkpoint that decides about a pending message, and shows the next one',
    notes: [begin, pending, note({ number: 3, first: 3, from: clock(12), at: clock(13), end: true })],
    messages: log.slice(0, 2),
    verdict: 'unknown',
  },
  {
    attempt: 'fills a gap of one with the same message twice',
    notes: [
      note({ log: log.slice(0, 1), at: clock(2) }),
      note({ number: 2, first: 2, from: clock(3), end: true }),
    ],
    messages: [log[0], log[0], log[2], log[2]] as LoggedMessage[],
    verdict: 'incomplete',
  },
  {
    attempt: 'signs a message with an old time after the run of that time has ended',
    notes: [note({ end: true }), note({ run: 'b'.repeat(32), log: [], from: clock(11), at: clock(20) })],
    messages: [...log, bundleAt(device, 5)],
    verdict: 'incomplete',
  },
  {
    attempt: 'begins with an empty log and no message, and sends unlisted messages',
    notes: [note({ log: [] })],
    messages: [bundleAt(device, 30)],
    verdict: 'unknown',
  },
  {
    attempt: 'dates a checkpoint far ahead, so that all unlisted messages lie before it',
    notes: [note({ at: '2099-01-01T00:00:00.000000Z' })],
    messages: [...log, bundleAt(device, 5)],
    verdict: 'incomplete',
  },
  {
    attempt: 'has another signer list its messages',
    notes: [note({ end: true }, other)],
    messages: log,
    verdict: 'incomplete',
  },
]

async function verdictsOn({ notes, messages }: LogAttempt): Promise<string> {
  const keyring = [device, other].map(({ verifyingKey }) => verifyingKey)
  const found = new Completeness()
  for (const one of notes) found.addCheckpoint(await verifyCheckpoint(one, { keyring }))
  for (const one of messagesOf(messages)) found.addMessage(one, await verifyBatch(one, { keyring }))
  const verdicts = found.report().map(({ verdict }) => verdict)
  return ['incomplete', 'unknown', 'complete'].find((word) => verdicts.includes(word as never)) ?? 'none'
}

for (const row of LOGS) {
  it(`a signer that ${row.attempt}: "${row.verdict}"`, async () => {
    expect(await verdictsOn(row)).toBe(row.verdict)
  })
}

it('a message that a checkpoint calls pending stays undecided if the next checkpoint contradicts the log', async () => {
  const other = [...log.slice(0, 2), bundleAt(device, 4)]
  const notes = [
    note({ pending: '2' }),
    note({ number: 1, first: 2, log: other, from: clock(10), at: clock(11), pending: '2' }),
    note({ number: 2, first: 3, log: other, from: clock(11), at: clock(12) }),
  ]
  const keyring = [device.verifyingKey]
  const found = new Completeness()
  for (const one of notes) found.addCheckpoint(await verifyCheckpoint(one, { keyring }))
  for (const one of messagesOf(other)) found.addMessage(one, await verifyBatch(one, { keyring }))
  expect(found.report()).toMatchObject([{ verdict: 'incomplete', missing: [], pending: 1 }])
})

it('a message that arrived late is "SIGNER_EXPIRED" if only a lease of a stranger contains the root of its log', async () => {
  const leasedLog = [1, 2, 3].map((minute) => bundleAt(holder, minute))
  const [leased] = messagesOf(leasedLog) as [Uint8Array]
  const signerOf = (party: Party, more: object = {}) => ({
    name: party.keyId,
    keys: [toHex(party.verifyingKey)],
    ...more,
  })
  const keyring = await readTrust({
    signers: [signerOf(device, { until: clock(30) }), signerOf(other)],
    acceptLateMs: 0,
  })
  const stated = { log: stateOf(RUN, leasedLog) }
  const leases = [
    await leaseBy(device, holder, clock(0), clock(10)),
    await leaseBy(stranger, holder, clock(9), clock(20), stated),
  ]
  const leaves = leasedLog.map(({ leaf }) => leaf)
  const listing = craftedCheckpoint(holder, { run: RUN, number: 0, leaves, fromAt: clock(0), at: clock(4) })
  const checkpoints = [await verifyCheckpoint(listing, { keyring: [holder.verifyingKey] })]
  const receivedAt = new Date('2027-01-01T00:00:00Z')
  const word = await verifyMessage(leased, { keyring, leases, checkpoints, receivedAt }).then(
    ({ signedBy }) => signedBy?.time,
    ({ code }) => code,
  )
  await keyring.close()
  expect(word).toBe('SIGNER_EXPIRED')
})

/** Arguments of a command about files of an attacker, and its exit code. */
interface FileAttempt {
  readonly attempt: string
  readonly args: (place: (name: string, content: string | Uint8Array) => Promise<string>) => Promise<string[]>
  readonly code: number
}

const lines = (some: readonly Uint8Array[]) =>
  Buffer.concat(some.map((one) => Buffer.concat([one, Buffer.from('\n')])))
const ofDevice = toHex(device.verifyingKey)

const FILES: FileAttempt[] = [
  {
    attempt: 'verify of a file with only a checkpoint',
    args: async (place) => [
      'verify',
      await place('m.ndjson', lines([note()])),
      '--key',
      await place('public.key', ofDevice),
    ],
    code: 2,
  },
  {
    attempt: 'audit of a file with one message of a stranger among good ones',
    args: async (place) => {
      const file = await place(
        'm.ndjson',
        lines([...messagesOf(log), bundleAt(stranger, 1).message, note({ end: true })]),
      )
      return ['audit', file, '--key', await place('public.key', ofDevice)]
    },
    code: 2,
  },
  {
    attempt: 'audit of a file whose only checkpoint is that of another signer',
    args: async (place) => {
      const file = await place('m.ndjson', lines([...messagesOf(log), note({ end: true }, stranger)]))
      return ['audit', file, '--key', await place('public.key', ofDevice)]
    },
    code: 2,
  },
  {
    attempt: 'audit of a good file and a missing one',
    args: async (place) => {
      const file = await place('m.ndjson', lines([...messagesOf(log), note({ end: true })]))
      return ['audit', file, `${file}-gone`, '--key', await place('public.key', ofDevice)]
    },
    code: 2,
  },
  {
    attempt: 'check of a file without records against messages about records',
    args: async (place) => {
      const file = await place('m.ndjson', lines(messagesOf(log)))
      return ['check', await place('a.ndjson', ''), file, '--key', await place('public.key', ofDevice)]
    },
    code: 1,
  },
  {
    attempt: 'check of records against no message at all',
    args: async (place) => {
      const file = await place('m.ndjson', '')
      return [
        'check',
        await place('a.ndjson', '{"a":1}\n'),
        file,
        '--key',
        await place('public.key', ofDevice),
      ]
    },
    code: 2,
  },
  {
    attempt: 'score of a payload of which only a stranger has signed anything',
    args: async (place) => {
      const file = await place(
        'm.ndjson',
        lines([bundleBy(stranger, { payload: 'x', timestamp: clock(1) }).message]),
      )
      return ['score', file, '--key', await place('public.key', ofDevice), '--min', '0']
    },
    code: 2,
  },
]

for (const row of FILES) {
  it(`${row.attempt} ends with exit code ${row.code}`, async () => {
    const home = await folder()
    const place = async (name: string, content: string | Uint8Array) => {
      await writeFile(join(home, name), content)
      return join(home, name)
    }
    const { code, out, err } = await alvarium(await row.args(place))
    expect(code, out + err).toBe(row.code)
  })
}
