// @node-only: it starts servers

import { generateKey, memory, openSdk, source, verifyBatch, verifyMessage } from 'alvarium-sdk'
import { Completeness, checkpoints, isCheckpoint, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { verifyPack } from 'alvarium-sdk/packs'
import { openStore } from 'alvarium-sdk/store'
import { type Policy, readTrust } from 'alvarium-sdk/trust'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startOneConnection } from '../store/databases.js'
import { utf8 } from '../support/bytes.js'
import { messageOf, noteOf } from '../support/checkpoints.js'
import { codeOf } from '../support/failure.js'
import { packed } from '../support/packs.js'
import { NoteSigner } from '../witness/logs.mjs'
import { type Instead, type ServedWitness, serveWitness } from '../witness/witnesses.js'

const HOUR = 3_600_000
const { signingKey, verifyingKey } = generateKey()
const keyring = [verifyingKey]

const serve = (name: string, instead?: Instead) =>
  serveWitness(`witness.example/${name}`, { signers: keyring }, instead)

/** Signs this many messages with checkpoints that witnesses see, and returns all messages published. */
async function publish(count: number, served: readonly ServedWitness[], every = 4) {
  const [stream, notes] = [memory(), memory()]
  const witnesses = served.map(({ url, vkey }) => ({ url, vkey }))
  const own = checkpoints({ stream: notes, every, everyMs: HOUR, witnesses, witnessTimeoutMs: HOUR })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, checkpoints: own })
  for (let at = 0; at < count; at++) await sdk.create(utf8(`reading ${at}`))
  await sdk.close()
  return { messages: stream.messages, notes: notes.messages }
}

/** Stores all messages, and returns the store's report on the signer. */
async function storeOf(all: readonly Uint8Array[], witnesses: readonly string[]) {
  const trust = {
    signers: [{ name: 'sensor-7', keys: [Buffer.from(verifyingKey).toString('hex')] }],
    witnesses,
  }
  const database = await startOneConnection()
  const store = await openStore(database.where, { keyring: await readTrust(trust) })
  try {
    await store.ingest(all)
    return {
      missing: (await store.missing({ witnesses })).signers[0],
      audit: await store.audit({ itself: true }),
    }
  } finally {
    await store.close()
    await database.stop()
  }
}

async function completenessOf(all: readonly Uint8Array[], witnesses: readonly string[], quorum?: number) {
  const completeness = new Completeness({ witnesses, quorum })
  for (const message of all) {
    if (isCheckpoint(message)) completeness.addCheckpoint(await verifyCheckpoint(message, { keyring }))
    else completeness.addMessage(message, await verifyBatch(message, { keyring }))
  }
  return completeness.report()[0]
}

// claim: witnesses-5
it('an SDK publishes each checkpoint at once, and again with the signatures of witnesses', async () => {
  const served = await Promise.all(['w1', 'w2', 'w3'].map((name) => serve(name)))
  const vkeys = served.map(({ vkey }) => vkey)
  const { messages, notes } = await publish(10, served)
  const lines = notes.map((note) => noteOf(note).split('\n— ').length - 2)
  expect(new Set(lines)).toEqual(new Set([0, 3]))
  expect(lines.at(-1)).toBe(3)
  const report = await completenessOf([...messages, ...notes], vkeys)
  expect(report).toMatchObject({
    verdict: 'complete',
    outcome: 'holds',
    forks: [],
    missing: [],
    witnessed: { outcome: 'holds', verdict: 'witnessed', of: 3, quorum: 2, unseen: 0, faults: [] },
  })
  expect(report?.says).toMatch(
    /^all 10 messages that the checkpoints of \w+ list are here; complete since \d{4}-\S+Z by [23] of 3 witnesses$/,
  )
})

// claim: witnesses-6
it("a store adds witnesses' signatures to its checkpoints, whichever copy of a checkpoint arrives first", async () => {
  const served = await Promise.all(['w1', 'w2'].map((name) => serve(name)))
  const vkeys = served.map(({ vkey }) => vkey)
  const { messages, notes } = await publish(6, served)
  for (const order of [notes, [...notes].reverse()]) {
    const { missing, audit } = await storeOf([...order, ...messages], vkeys)
    expect(missing).toMatchObject({
      verdict: 'complete',
      witnessed: { outcome: 'holds', seen: 2, unseen: 0 },
    })
    expect(audit).toMatchObject({ outcome: 'holds', count: 0 })
  }
  const bare = notes.filter((note) => !noteOf(note).includes('— witness'))
  expect((await storeOf([...bare, ...messages], vkeys)).missing).toMatchObject({
    verdict: 'unknown',
    witnessed: { verdict: 'unwitnessed', unseen: 6 },
  })
})

// claim: witnesses-9
it("completeness is unknown if no quorum of witnesses has seen a signer's last messages", async () => {
  let isAway = false
  const served = [await serve('w1'), await serve('w2', async (_, own) => (isAway ? { status: 503 } : own()))]
  const vkeys = served.map(({ vkey }) => vkey)
  const first = await publish(8, served)
  isAway = true
  const second = await publish(5, served)
  const all = [...first.messages, ...first.notes, ...second.messages, ...second.notes]
  expect(await completenessOf(all, vkeys, 2)).toMatchObject({
    verdict: 'unknown',
    outcome: 'cannot tell',
    says: expect.stringContaining('; 5 messages that it lists were not seen by 2 of 2 witnesses'),
    needs: 'add its checkpoints with the lines of the witnesses',
    witnessed: { verdict: 'unwitnessed', unseen: 5 },
  })
  expect(await completenessOf(all, vkeys, 1)).toMatchObject({ verdict: 'complete' })
})

it('the completeness of a signer with two runs counts as witnessed only from the time when a witness saw the later run', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 4, 1, 12) })
  onTestFinished(() => void vi.useRealTimers())
  const served = [await serve('w1')]
  const first = await publish(4, served)
  vi.setSystemTime(Date.now() + HOUR)
  const second = await publish(4, served)
  for (const runs of [
    [first, second],
    [second, first],
  ]) {
    const all = runs.flatMap(({ messages, notes }) => [...messages, ...notes])
    const report = await completenessOf(all, [served[0]?.vkey ?? ''])
    expect(report?.witnessed?.since).toBe('2026-05-01T13:00:00Z')
  }
})

// claim: witnesses-4
it('calls and checkpoints continue while all witnesses hang', async () => {
  let answer = () => {}
  const hanging = new Promise<void>((resolve) => {
    answer = resolve
  })
  const served = [await serve('w1', (_, own) => hanging.then(own))]
  const [stream, notes] = [memory(), memory()]
  const witnesses = served.map(({ url, vkey }) => ({ url, vkey }))
  const own = checkpoints({ stream: notes, every: 2, everyMs: HOUR, witnesses, witnessTimeoutMs: HOUR })
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, checkpoints: own })
  for (let at = 0; at < 20; at++) await sdk.create(utf8(`reading ${at}`))
  await expect.poll(() => notes.messages.length).toBe(11)
  await expect.poll(() => served[0]?.requests.length).toBe(1)
  answer()
  await sdk.close()
  // The requests include the first one, which hung, and the newest.
  expect(served[0]?.requests.length).toBeLessThanOrEqual(4)
  expect(noteOf(notes.messages.at(-1) as Uint8Array)).toContain('\n— witness.example/w1 ')
})

// claim: witnesses-10
it('a late message of an expired or revoked signer verifies if witnesses saw its log in time', async () => {
  const served = await Promise.all(['w1', 'w2'].map((name) => serve(name)))
  const witnesses = served.map(({ vkey }) => vkey)
  const { messages, notes } = await publish(6, served)
  const after = Date.now() + 2_000
  const [since, until] = [after, after].map((ms) => new Date(ms).toISOString())
  const signer = { name: 'gateway-1', keys: [Buffer.from(verifyingKey).toString('hex')] }
  const late = { receivedAt: after + HOUR }
  const verified = await Promise.all(notes.map((note) => verifyCheckpoint(note, { keyring })))
  for (const limit of [{ until, acceptLateMs: 0 }, { revoked: { since: since as string } }]) {
    const seen = await readTrust({ signers: [{ ...signer, ...limit }], witnesses, quorum: 2 })
    const blind = await readTrust({ signers: [{ ...signer, ...limit }] })
    for (const message of messages) {
      const options = { ...late, checkpoints: verified }
      expect(await codeOf(() => verifyMessage(message, { keyring: blind, ...options }))).toMatch(
        /^SIGNER_(EXPIRED|REVOKED)$/,
      )
      const bundle = await verifyMessage(message, { keyring: seen, ...options })
      expect(bundle.signedBy).toMatchObject({ name: 'gateway-1', time: 'witnessed' })
      expect(await codeOf(() => verifyMessage(message, { keyring: seen, ...late }))).toMatch(/^SIGNER_/)
    }
    const last = notes.at(-1) as Uint8Array
    expect((await verifyCheckpoint(last, { keyring: seen, ...late })).signedBy?.time).toBe('witnessed')
    expect(await codeOf(() => verifyCheckpoint(last, { keyring: blind, ...late }))).toMatch(/^SIGNER_/)
    await seen.close()
    await blind.close()
  }
})

it('a message of a revoked signer is refused if no witness saw the message before the revocation', async () => {
  const served = [await serve('w1')]
  const { messages, notes } = await publish(3, served)
  const verified = await Promise.all(notes.map((note) => verifyCheckpoint(note, { keyring })))
  const past = new Date(Date.now() - HOUR).toISOString()
  const signer = {
    name: 'gateway-1',
    keys: [Buffer.from(verifyingKey).toString('hex')],
    revoked: { since: past },
  }
  const witnesses = served.map(({ vkey }) => vkey)
  const seen = await readTrust({ signers: [signer], witnesses })
  const options = { keyring: seen, receivedAt: Date.now() + HOUR, checkpoints: verified }
  expect(await codeOf(() => verifyMessage(messages[0] as Uint8Array, options))).toBe('SIGNER_REVOKED')
  const others = await readTrust({
    signers: [{ ...signer, revoked: { since: new Date(Date.now() + 2_000).toISOString() } }],
    witnesses: [new NoteSigner('witness.example/w1', 4).vkey],
  })
  expect(await codeOf(() => verifyMessage(messages[0] as Uint8Array, { ...options, keyring: others }))).toBe(
    'SIGNER_REVOKED',
  )
})

it("a checkpoint proves no time if one witness's signature does not verify, even with a quorum of others", async () => {
  const [served, other] = [await serve('w1'), new NoteSigner('witness.example/w2', 4)]
  const { notes } = await publish(3, [served])
  const after = Date.now() + 2_000
  const until = new Date(after).toISOString()
  const signer = {
    name: 'gateway-1',
    keys: [Buffer.from(verifyingKey).toString('hex')],
    until,
    acceptLateMs: 0,
  }
  const trust = { signers: [signer], witnesses: [served.vkey, other.vkey], quorum: 1 }
  const options = { keyring: await readTrust(trust), receivedAt: after + HOUR }
  const last = notes.at(-1) as Uint8Array
  expect((await verifyCheckpoint(last, options)).signedBy?.time).toBe('witnessed')
  const wrong = messageOf(`${noteOf(last)}${other.line('another text', Math.floor(Date.now() / 1000))}`)
  expect(await codeOf(() => verifyCheckpoint(wrong, options))).toBe('SIGNER_EXPIRED')
})

it('a pack verifies with a list of witnesses only if a quorum of them has signed its checkpoints', async () => {
  const served = await Promise.all(['w1', 'w2', 'w3'].map((name) => serve(name)))
  const vkeys = served.map(({ vkey }) => vkey)
  const { messages, notes } = await publish(9, served)
  const trust = { signers: [{ name: 'sensor-7', keys: [Buffer.from(verifyingKey).toString('hex')] }] }
  const pack = await packOf(messages, notes, trust)
  const options = { keyring: await readTrust(trust), witnesses: vkeys, quorum: 3 }
  const verified = await verifyPack(pack, options)
  expect(verified).toMatchObject({ outcome: 'holds', witnessed: { outcome: 'holds', seen: 3 } })
  expect(verified.says).toMatch(/; its lists were seen by 3 of 3 witnesses by \d{4}-\S+Z\. /)
  const bare = notes.filter((note) => !noteOf(note).includes('— witness'))
  const unseen = await verifyPack(await packOf(messages, bare, trust), options)
  expect(unseen).toMatchObject({
    outcome: 'cannot tell',
    needs: 'add its checkpoints with the lines of the witnesses',
    witnessed: { unseen: 9 },
  })
  expect((await verifyPack(pack, { keyring: await readTrust(trust) })).outcome).toBe('holds')
})

async function packOf(
  messages: readonly Uint8Array[],
  checkpoints: readonly Uint8Array[],
  trust: Policy,
): Promise<Uint8Array> {
  return (await packed(messages, { about: { query: 'all' }, trust, checkpoints })).bytes
}
