// @own-process: it stops the clock
// @node-only: it runs the command, too

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { subscribe, verifyBatch, verifyMessages } from 'alvarium-sdk'
import { completeness, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { type PolicySigner, readLease, type Trust } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { alvarium, folder } from '../cli/command.js'
import { textOf, utf8 } from '../support/bytes.js'
import { openLogged } from '../support/leased.js'
import { closing, next, sender } from '../support/receiving.js'
import { messageFrom, policyOf, trustOf } from '../support/trust.js'

const DAY = 86_400_000

/**
 * Returns messages of a day ago: a message, a batch, the SDK's checkpoints and its leases, of which the last one
 * states its log.
 */
async function signedYesterday() {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - DAY })
  try {
    const { sdk, messages, notes, leases } = await openLogged({}, { every: 2 })
    await sdk.create(utf8('21.4'))
    await sdk.createMany([utf8('21.5'), utf8('21.6')])
    await sdk.create(utf8('21.7'))
    // The last lease, which states the end, must be later than the messages.
    vi.setSystemTime(Date.now() + 60_000)
    await sdk.close()
    return { messages: [...messages], notes: [...notes], leases: [...leases] }
  } finally {
    vi.useRealTimers()
  }
}
type Signed = Awaited<ReturnType<typeof signedYesterday>>

type Case = readonly [
  what: string,
  rules: (signed: Signed) => Partial<PolicySigner>,
  some: (signed: Signed) => Partial<Signed>,
  expected: string,
]
const since = '2026-01-01T00:00:00Z'
const serialOf = (lease: Uint8Array | undefined) => readLease(lease as Uint8Array).serial
const none = () => ({})
const CASES: readonly Case[] = [
  ['is valid if a lease contains the size and root of its log', none, none, 'logged'],
  [
    'is refused as late if no lease contains the size and root of its log',
    none,
    ({ leases }) => ({ leases: leases.slice(0, 1) }),
    'SIGNER_EXPIRED',
  ],
  ['is refused as late without checkpoints', none, () => ({ notes: [] }), 'SIGNER_EXPIRED'],
  [
    'is refused as late without the last checkpoint',
    none,
    ({ notes }) => ({ notes: notes.slice(0, -2) }),
    'SIGNER_EXPIRED',
  ],
  [
    'is valid if its lease was revoked after the start of the lease that contains the root of its log',
    ({ leases }) => ({ revokedLeases: [{ serial: serialOf(leases[0]), since: new Date().toISOString() }] }),
    none,
    'logged',
  ],
  [
    'is refused if its lease was revoked before the start of the lease that contains the root of its log',
    ({ leases }) => ({ revokedLeases: [{ serial: serialOf(leases[0]), since }] }),
    none,
    'SIGNER_REVOKED',
  ],
  ['is refused if its issuer is revoked', () => ({ revoked: { since } }), none, 'SIGNER_REVOKED'],
  ['is refused if the issuer may issue no leases', () => ({ maxLeaseMs: 0 }), none, 'SIGNER_NOT_ALLOWED'],
]

type Told = { readonly signedBy?: { readonly time: string } | undefined }
const timeOf = (bundles: readonly Told[]) => bundles[0]?.signedBy?.time
const told = (bundles: Promise<readonly Told[]>) => bundles.then(timeOf, ({ code }) => code)

/** Returns the verified checkpoints, as a consumer has them that received them in time. */
async function verifiedOf({ notes, leases }: Signed, keyring: Trust) {
  const verified = notes.map((note) =>
    verifyCheckpoint(note, { keyring, leases, receivedAt: Date.now() - DAY + 120_000 }),
  )
  return (await Promise.allSettled(verified)).flatMap((one) =>
    one.status === 'fulfilled' ? [one.value] : [],
  )
}

describe('a day after its lease has ended, a signed message', () => {
  let broker: TestBroker
  beforeAll(async () => {
    broker = await startMosquitto()
  })
  afterAll(() => broker.stop())

  /** Opens a subscription to leases and checkpoints; with a prefetch of 1, no message waits. */
  async function parties(keyring: Trust, known: readonly Uint8Array[], prefetch?: number) {
    const where = { url: broker.url, topic: `logged-${crypto.randomUUID()}` }
    const given = closing(
      subscribe({
        ...where,
        keyring,
        leases: { known },
        completeness: completeness(),
        durable: false,
        closeTimeoutMs: 1,
        ...(prefetch && { prefetch }),
      }),
    )
    await given.open()
    const [raw, signers] = [
      await sender(where.url, where.topic),
      await sender(where.url, `${where.topic}/signers`),
    ]
    return { given, loop: given[Symbol.asyncIterator](), raw, signers, topic: where.topic }
  }

  async function received(messages: readonly Uint8Array[], { leases, notes }: Signed, keyring: Trust) {
    const { given, loop, raw, signers, topic } = await parties(keyring, leases, 1)
    const verdicts: (string | undefined)[] = []
    given.addEventListener('rejected', (event) => {
      if (event.topic === topic) verdicts.push(event.error.code)
    })
    void (async () => {
      for await (const one of { [Symbol.asyncIterator]: () => loop })
        if (one.index === 0) verdicts.push(timeOf([one]))
    })()
    for (const note of notes) await signers.publish(note)
    // The broker has acknowledged all checkpoints before the first message is published.
    for (const message of messages) await raw.publish(message)
    await expect.poll(() => verdicts.length).toBe(messages.length)
    return verdicts
  }

  it.each(CASES)(
    '%s, verified alone, with other messages and by a subscription',
    async (_, rules, some, expected) => {
      const all = await signedYesterday()
      const signed: Signed = { ...all, ...some(all) }
      const { messages, leases } = signed
      const keyring = await trustOf(rules(all))
      const by = { keyring, leases, checkpoints: await verifiedOf(signed, keyring), receivedAt: Date.now() }
      const same = messages.map(() => expected)
      const alone = await Promise.all(messages.map((message) => told(verifyBatch(message, by))))
      expect(alone).toEqual(same)
      const together = (await verifyMessages(messages, by)).map((one) =>
        one.status === 'fulfilled' ? timeOf(one.value) : one.reason.code,
      )
      expect(together).toEqual(same)
      expect(await received(messages, signed, keyring)).toEqual(same)
    },
  )

  // claim: trust-32
  it.each(CASES)('%s, verified by the command', async (_, rules, some, expected) => {
    const all = await signedYesterday()
    const { messages, notes, leases }: Signed = { ...all, ...some(all) }
    const at = join.bind(undefined, await folder())
    const write = (name: string, lines: readonly Uint8Array[]) =>
      writeFile(at(name), lines.map((line) => `${textOf(line)}\n`).join(''))
    // Lines in any order, as a file stream of all three writes them.
    await write('all.ndjson', [...messages, ...notes, ...leases])
    await write('messages.ndjson', messages)
    await write('beside.ndjson', [...notes, ...leases])
    await write('in-order.ndjson', [...leases, ...notes.toReversed(), ...messages])
    await writeFile(at('trust.json'), JSON.stringify(policyOf(rules(all))))
    const judging = ['--trust', at('trust.json'), '--received-at', new Date().toISOString()]
    const beside = ['--leases', at('beside.ndjson'), '--checkpoints', at('beside.ndjson')]
    const code = expected === 'logged' ? 0 : 1
    const verdicts = async (args: readonly string[]) => {
      const { out, ...ran } = await alvarium(['verify', ...args, '--json', ...judging])
      expect(ran.code).toBe(code)
      const lines = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      return lines.map((line) => line.code ?? timeOf(line.bundles))
    }
    const same = messages.map(() => expected)
    expect(await verdicts([at('all.ndjson')])).toEqual(same)
    expect(await verdicts([at('messages.ndjson'), ...beside])).toEqual(same)
    for (const command of ['audit', 'score']) {
      const { err, ...ran } = await alvarium([command, at('all.ndjson'), ...judging])
      expect([command, ran.code]).toEqual([command, code])
      if (code === 1) expect(err).toContain(expected)
      else expect(err).toMatch(/skipped.*2 leases/)
    }
    if (code === 1) return
    // Each record occurs once, unaltered.
    await writeFile(at('data.txt'), '21.4\n21.5\n21.6\n21.7\n')
    expect((await alvarium(['check', at('data.txt'), at('all.ndjson'), ...judging])).code).toBe(0)
    // The report is about the issuer, whose run is complete.
    const { out } = await alvarium(['audit', at('all.ndjson'), ...judging, '--json'])
    expect(JSON.parse(out)).toMatchObject({ name: 'gateway-1', verdict: 'complete', messages: 3 })
  })

  // claim: trust-33
  it.each([
    ['its checkpoints and then its lease', ['notes', 'lease']],
    ['its lease and then its checkpoints', ['lease', 'notes']],
  ])('waits in a subscription for %s while other messages are delivered', async (_, order) => {
    const { messages, notes, leases } = await signedYesterday()
    // The stopped clock keeps messages from waiting too long, on any machine.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { given, loop, raw, signers } = await parties(await trustOf(), leases.slice(0, 1))
    const codes: string[] = []
    given.addEventListener('rejected', ({ error }) => codes.push(error.code))
    for (const message of messages) await raw.publish(message)
    await raw.publish(await messageFrom())
    const [other] = await next(loop, 1)
    expect(timeOf([other as Told])).toBe('received')
    const beside = { notes, lease: leases.slice(1) }
    for (const what of order) for (const one of beside[what as 'notes']) await signers.publish(one)
    const late = await next(loop, 4)
    expect(late.map((one) => timeOf([one]))).toEqual(Array(4).fill('logged'))
    expect(codes).toEqual([])
  })
})
