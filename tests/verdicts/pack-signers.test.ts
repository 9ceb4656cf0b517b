import { memory, openSdk, source } from 'alvarium-sdk'
import { checkpoints, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { type MakePackOptions, type VerifiedPack, verifyPack } from 'alvarium-sdk/packs'
import { readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { type Crafted, craftedBundle, craftedCheckpoint, runOf } from '../support/crafted.js'
import { openLogged } from '../support/leased.js'
import { packed, signer } from '../support/packs.js'
import { key } from '../support/sdk.js'
import { policyOf } from '../support/trust.js'

// Packs about all messages that a signer signed in a span of time, and attacks on them, written from FORMAT.md and
// packs.md.

const device = signer('device')
const other = signer('other')

async function found(
  messages: readonly Uint8Array[],
  options: Omit<MakePackOptions, 'trust'>,
): Promise<VerifiedPack> {
  const trust = { signers: [...device.trust.signers, ...other.trust.signers] }
  const { bytes } = await packed(messages, { ...options, trust })
  const keyring = await readTrust(trust)
  try {
    return await verifyPack(bytes, { keyring })
  } finally {
    await keyring.close()
  }
}

const told = ({ outcome, verdict: { whole } }: VerifiedPack) => [outcome, whole.word, whole.missing]

const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, '0')}:00:00.000000Z`
const during = (from: number, until: number, id = device.keyId) => ({
  signer: { id, from: at(from), until: at(until) },
})

/** Returns a run of two messages with one checkpoint, in one hour. */
function runIn(digit: string, hour: number, more: object = {}) {
  const bundles = ['a', 'b'].map((text) =>
    craftedBundle(device, { about: `${digit}${text}`, timestamp: at(hour) }),
  )
  const leaves = bundles.map(({ leaf }) => leaf)
  const run = runOf(digit)
  const given = { run, number: 0, leaves, fromAt: at(hour), at: at(hour + 1), end: true, ...more }
  return { run, bundles, leaves, note: craftedCheckpoint(device, given) }
}

const messagesOf = (runs: readonly { readonly bundles: readonly Crafted[] }[]) =>
  runs.flatMap(({ bundles }) => bundles.map(({ message }) => message))
const notesOf = (runs: readonly { readonly note: Uint8Array }[]) => runs.map(({ note }) => note)

describe('a pack about a signer and a span of time', () => {
  const first = runIn('1', 1)
  const second = runIn('2', 3, { after: first })
  const third = runIn('3', 5, { after: second })
  const chain = [first, second, third]

  it('is "whole by log" when each run names the run before it, and the pack has all listed messages', async () => {
    const pack = await found(messagesOf(chain), { about: during(1, 6), checkpoints: notesOf(chain) })
    expect(told(pack)).toEqual(['holds', 'whole by log', 0])
    expect(pack.verdict.whole.by).toBe(device.keyId)
    expect(pack.says).toContain('whole by log: checkpoints of device list all messages of this time')
  })

  it('is "whole by log" without the runs before and after, if the span contains a single run', async () => {
    const pack = await found(messagesOf([second]), { about: during(3, 4), checkpoints: notesOf([second]) })
    expect(told(pack)).toEqual(['holds', 'whole by log', 0])
  })

  it('is only "each run whole by log" if the runs do not name each other, because another run may lie between them', async () => {
    const apart = [runIn('1', 1), runIn('2', 3)]
    const pack = await found(messagesOf(apart), { about: during(1, 4), checkpoints: notesOf(apart) })
    expect(told(pack)).toEqual(['holds', 'each run whole by log', 0])
    expect(pack.says).toContain('nothing shows that there was no other run between them')
  })

  it('has the outcome "cannot tell" when a run is missing that the next run names', async () => {
    const some = [first, third]
    const pack = await found(messagesOf(some), { about: during(1, 6), checkpoints: notesOf(some) })
    expect(told(pack)).toEqual(['cannot tell', 'not shown', 0])
    expect(pack.needs).toContain('checkpoints of all its runs')
  })

  it('has the outcome "cannot tell" when the first or the last run of the span is missing', async () => {
    for (const some of [chain.slice(1), chain.slice(0, -1)]) {
      const pack = await found(messagesOf(some), { about: during(1, 6), checkpoints: notesOf(some) })
      expect(told(pack)).toEqual(['cannot tell', 'not shown', 0])
    }
  })

  it('has the outcome "does not hold" when a message of any run was dropped, and names the run and the time', async () => {
    const some = messagesOf(chain).toSpliced(2, 1)
    const pack = await found(some, { about: during(1, 6), checkpoints: notesOf(chain) })
    expect(told(pack)).toEqual(['does not hold', 'not shown', 1])
    expect(pack.missing).toMatchObject([
      { run: second.run, first: 0, last: 0, since: at(3), fate: 'missing' },
    ])
  })

  it('needs no message that was signed outside of the span', async () => {
    const pack = await found(messagesOf([second, third]), {
      about: during(3, 6),
      checkpoints: notesOf(chain),
    })
    expect(told(pack)).toEqual(['holds', 'whole by log', 0])
  })

  it('has the outcome "cannot tell" when a run continues after its last checkpoint', async () => {
    const open = runIn('1', 1, { end: false })
    const pack = await found(messagesOf([open]), { about: during(1, 2), checkpoints: notesOf([open]) })
    expect(told(pack)[1]).toBe('whole by log')
    const later = [open, runIn('2', 3)]
    expect(
      told(await found(messagesOf(later), { about: during(1, 4), checkpoints: notesOf(later) })),
    ).toEqual(['cannot tell', 'not shown', 0])
    const named = [open, runIn('2', 3, { after: open })]
    expect(
      told(await found(messagesOf(named), { about: during(1, 4), checkpoints: notesOf(named) })),
    ).toEqual(['holds', 'whole by log', 0])
  })

  it('has the outcome "does not hold" if the next run contradicts the log of a killed run', async () => {
    const open = runIn('1', 1, { end: false })
    const forged = { run: open.run, leaves: [...open.leaves].reverse() }
    const runs = [open, runIn('2', 3, { after: forged })]
    const pack = await found(messagesOf(runs), { about: during(1, 4), checkpoints: notesOf(runs) })
    expect(told(pack).slice(0, 2)).toEqual(['does not hold', 'not shown'])
  })

  it('has the outcome "cannot tell" for a span or a signer without checkpoints', async () => {
    for (const about of [during(10, 11), during(1, 6, other.keyId)]) {
      const pack = await found(messagesOf(chain), { about, checkpoints: notesOf(chain) })
      expect(told(pack).slice(0, 2)).toEqual(['cannot tell', 'not shown'])
    }
  })

  it('has the outcome "does not hold" if a message signed within the span is in no log', async () => {
    const extra = craftedBundle(device, { about: 'backdated', timestamp: '2026-01-01T01:30:00Z' })
    const pack = await found([...messagesOf(chain), extra.message], {
      about: during(1, 6),
      checkpoints: notesOf(chain),
    })
    expect(pack.outcome).toBe('does not hold')
    expect(pack.says).toContain('1 message here is in no log of its time')
  })

  it.each([
    [{ id: device.keyId, from: at(2), until: at(1) }],
    [{ id: device.keyId, from: '2026-01-01T01:00:00Z', until: at(2) }],
    [{ id: device.keyId, from: '2026-13-01T01:00:00.000000Z', until: at(2) }],
    [{ id: 'device', from: at(1), until: at(2) }],
  ])('is refused for an impossible signer or time: %o', async (span) => {
    await expect(found([], { about: { signer: span } })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })

  it('is "each run whole by log" if the SDK of the signer was restarted with the same key', async () => {
    const [messages, notes]: [Uint8Array[], Uint8Array[]] = [[], []]
    for (const run of [1, 2]) {
      const [stream, control] = [memory(), memory()]
      const sdk = await openSdk({
        signingKey: device.signingKey,
        annotators: [source()],
        stream,
        checkpoints: checkpoints({ stream: control, everyMs: 3_600_000 }),
      })
      await sdk.create(utf8(`of run ${run}`))
      await sdk.close()
      messages.push(...stream.messages)
      notes.push(...control.messages)
    }
    const verified = await Promise.all(
      notes.map((note) => verifyCheckpoint(note, { keyring: device.keyring })),
    )
    const from = verified.map((one) => one.from.at).sort()[0] as string
    const until = verified
      .map((one) => one.at)
      .sort()
      .at(-1) as string
    const about = { signer: { id: device.keyId, from, until } }
    expect(told(await found(messages, { about, checkpoints: notes }))).toEqual([
      ...['holds', 'each run whole by log', 0],
    ])
  })

  it('is "whole by log" if the signer has leased its keys, and the pack has all messages of their runs', async () => {
    const { sdk, leases, messages, notes } = await openLogged()
    await sdk.create(utf8('by a lease'))
    await sdk.close()
    const keyring = await readTrust(policyOf())
    const verified = await Promise.all(notes.map((note) => verifyCheckpoint(note, { keyring, leases })))
    const from = verified.map((one) => one.from.at).sort()[0] as string
    const until = verified
      .map((one) => one.at)
      .sort()
      .at(-1) as string
    const about = { signer: { id: key.keyId, from, until } }
    const { bytes } = await packed(messages, { about, trust: policyOf(), leases, checkpoints: notes })
    const pack = await verifyPack(bytes, { keyring })
    expect(told(pack)).toEqual(['holds', 'whole by log', 0])
    const without = await packed([], { about, trust: policyOf(), leases, checkpoints: notes })
    expect(told(await verifyPack(without.bytes, { keyring }))).toEqual(['does not hold', 'not shown', 1])
  })
})

describe('late messages in a log whose size and root a lease contains', () => {
  it('verify whatever the order of the checkpoints that prove when the messages existed', async () => {
    const { sdk, leases, messages, notes } = await openLogged({}, { every: 1 })
    for (const text of ['a', 'b', 'c']) await sdk.create(utf8(text))
    await sdk.close()
    const trust = policyOf()
    const keyring = await readTrust(trust)
    const about = { query: 'all' }
    const receivedAt = Date.now() + 365 * 86_400_000
    const verdicts = await Promise.all(
      [notes, notes.toReversed(), [...notes.slice(1), ...notes.slice(0, 1)]].map(async (some) => {
        const { bytes } = await packed(messages, { about, trust, leases, checkpoints: some })
        const { outcome, verdict, faults } = await verifyPack(bytes, { keyring, receivedAt })
        return { outcome, verdict, faults: faults.map(({ error }) => error.code) }
      }),
    )
    expect(verdicts[0]).toMatchObject({ verdict: { lines: { messages: { verified: 3, refused: 0 } } } })
    expect(verdicts[1]).toEqual(verdicts[0])
    expect(verdicts[2]).toEqual(verdicts[0])
  })
})
