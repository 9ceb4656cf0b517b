import { generateKey, subscribe, toHex, verifyBatch } from 'alvarium-sdk'
import {
  Completeness,
  completeness,
  type Finding,
  type SignerReport,
  verifyCheckpoint,
} from 'alvarium-sdk/completeness'
import { verifyPack } from 'alvarium-sdk/packs'
import { type Policy, readTrust } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import { onOneDatabase } from '../store/databases.js'
import {
  afterOf,
  bundleBy,
  type CheckpointLines,
  checkpointBy,
  type LoggedMessage,
  leaseBy,
  type Party,
} from '../support/by-hand.js'
import { packed } from '../support/packs.js'
import { closing, sender } from '../support/receiving.js'
import { until } from '../support/until.js'

/*
 * Attacks on `complete`, `incomplete` and `unknown` by one key of a signer against another, by an outsider. The plant
 * lends its key to machines A and B. The attacker controls B, which signs anything, and also drops messages of A.
 */

const RUN = 'aa'.repeat(16)
/** A minute ago, in whole seconds. `at` counts from it, and writes the six digits that checkpoints have. */
const NOW = Math.floor(Date.now() / 1000) * 1000 - 60_000
const at = (seconds: number) => `${new Date(NOW + seconds * 1000).toISOString().slice(0, 19)}.000000Z`

interface Machine {
  readonly party: Party
  readonly log: readonly LoggedMessage[]
  /** Signs a checkpoint of the run id that all machines of these tests share. */
  note(lines: Partial<CheckpointLines>): Uint8Array
}

function machine(host: string, party = generateKey()): Machine {
  const log = Array.from({ length: 6 }, (_, place) =>
    bundleBy(party, { payload: `${host} ${place}`, host, timestamp: at(1 + place) }),
  )
  const note = (lines: Partial<CheckpointLines>) =>
    checkpointBy(party, { run: RUN, number: 0, log, from: at(0), at: at(10), ...lines })
  return { party, log, note }
}

/** Makes the plant, its machines, and the six messages and two checkpoints that honest A publishes. */
async function plant() {
  const [owner, a, b] = [generateKey(), machine('a'), machine('b')]
  const policy: Policy = { signers: [{ name: 'plant', keys: [toHex(owner.verifyingKey)] }] }
  const lend = ({ party }: Machine) => leaseBy(owner, party, at(-3600), at(3600))
  const leases = [await lend(a), await lend(b)]
  const honest = [a.note({ log: [], at: at(0) }), a.note({ number: 1, end: true })]
  return { owner, a, b, policy, leases, honest, messages: a.log.map(({ message }) => message) }
}
type Plant = Awaited<ReturnType<typeof plant>>

/** Reports on the plant's only signer. */
async function reportOn(
  { policy, leases }: Pick<Plant, 'policy' | 'leases'>,
  messages: readonly Uint8Array[],
  notes: readonly Uint8Array[],
): Promise<SignerReport> {
  const keyring = await readTrust(policy)
  const found = new Completeness({ toleranceMs: 1_000 })
  for (const note of notes) found.addCheckpoint(await verifyCheckpoint(note, { keyring, leases }))
  for (const one of messages) found.addMessage(one, await verifyBatch(one, { keyring, leases }))
  const reports = found.report()
  expect(reports.map(({ name }) => name)).toEqual(['plant'])
  return reports[0] as SignerReport
}

const places = (ranges: readonly { readonly first: number; readonly last: number }[]) =>
  ranges.map(({ first, last }) => [first, last])
const drop = <T>(messages: readonly T[]) => messages.filter((_, place) => place < 2 || place > 4)

/** Checkpoints that B signs about a run with the id of A's run, by their lie. */
const LIES: Readonly<Record<string, (scene: Plant) => Uint8Array[]>> = {
  'its stream refused the messages of A': ({ a, b }) => [
    b.note({ number: 2, log: a.log, first: 6, from: at(10), at: at(11), refused: '2-4' }),
  ],
  'the messages of A are still pending': ({ a, b }) => [
    b.note({ number: 1, log: a.log, at: at(11), pending: '2-4' }),
  ],
  'another log has the id of the run': ({ b }) => [b.note({ log: [], from: at(3), at: at(4) })],
  'the run has another root for one size': ({ b }) => [b.note({ number: 1, at: at(9) })],
  'the run continued after its end': ({ a, b }) => [
    b.note({ number: 2, log: a.log, first: 6, from: at(10), at: at(11) }),
  ],
  'the run was much longer, in a checkpoint of the next run': ({ a, b }) => [
    b.note({ run: 'bb'.repeat(16), log: [], from: at(12), at: at(12), after: afterOf(RUN, a.log, 900) }),
  ],
  'the run had another log, in a checkpoint of the next run': ({ b }) => [
    b.note({ run: 'bb'.repeat(16), log: [], from: at(12), at: at(12), after: afterOf(RUN, b.log) }),
  ],
  'the run ended before its last message': ({ b }) => [b.note({ log: [], at: at(2), end: true })],
}
const lies = Object.keys(LIES)
const liesOf = (what: string, scene: Plant) => (LIES[what] as (scene: Plant) => Uint8Array[])(scene)

/** Returns the part of a report about A's run: B's statements about its own run are left out. */
function aboutA({ missing, forks, gaps, runs, unlisted }: SignerReport, { a }: Plant) {
  const own = <T extends { keyId: string }>(all: readonly T[]) =>
    all.filter(({ keyId }) => keyId === a.party.keyId)
  const runsOfA = own(runs).map(({ run, size, hasEnded }) => ({ run, size, hasEnded }))
  return { missing: places(own(missing)), forks: own(forks), gaps: own(gaps), runs: runsOfA, unlisted }
}

describe('a report about the run of key A, whose run id key B uses too,', () => {
  it('is complete if all messages are given, and otherwise names the missing messages', async () => {
    const scene = await plant()
    expect(await reportOn(scene, scene.messages, scene.honest)).toMatchObject({ verdict: 'complete' })
    const cut = await reportOn(scene, drop(scene.messages), scene.honest)
    expect(aboutA(cut, scene)).toMatchObject({ missing: [[2, 4]], forks: [] })
  })

  it.each(lies)('still names the missing messages of A if B signs that %s', async (what) => {
    const scene = await plant()
    const got = await reportOn(scene, drop(scene.messages), [...scene.honest, ...liesOf(what, scene)])
    expect(got.verdict).toBe('incomplete')
    expect(got.refused).toBe(0)
    expect(aboutA(got, scene)).toEqual({
      missing: [[2, 4]],
      forks: [],
      gaps: [],
      unlisted: [],
      runs: [{ run: RUN, size: 6, hasEnded: true }],
    })
  })

  it.each(lies)('still finds the run of A complete if B signs that %s', async (what) => {
    const scene = await plant()
    const got = await reportOn(scene, scene.messages, [...liesOf(what, scene), ...scene.honest])
    expect(aboutA(got, scene)).toEqual({
      missing: [],
      forks: [],
      gaps: [],
      unlisted: [],
      runs: [{ run: RUN, size: 6, hasEnded: true }],
    })
  })

  it('reports a message of A as unlisted if only a log of B lists the message', async () => {
    const scene = await plant()
    const { a, b } = scene
    const backdated = bundleBy(a.party, { payload: 'late', host: 'a', timestamp: at(5) })
    const hiding = b.note({ number: 0, log: [backdated], end: true })
    const got = await reportOn(scene, [...scene.messages, backdated.message], [...scene.honest, hiding])
    expect(got.unlisted).toHaveLength(1)
    expect(got.verdict).toBe('incomplete')
  })

  it('counts messages after the last checkpoint of A as unknown, even if B has signed later checkpoints', async () => {
    const scene = await plant()
    const { a, b } = scene
    const newer = bundleBy(a.party, { payload: 'newer', host: 'a', timestamp: at(200) })
    const ahead = b.note({ log: [], from: at(0), at: at(3_000), end: true })
    const open = [scene.honest[0] as Uint8Array, a.note({ number: 1 })]
    const got = await reportOn(scene, [...scene.messages, newer.message], [...open, ahead])
    expect(got).toMatchObject({ verdict: 'unknown', unlisted: [], unknown: 1 })
  })

  it('has two complete runs if B is honest, too', async () => {
    const scene = await plant()
    const { b, messages, honest } = scene
    const all = [...messages, ...b.log.map(({ message }) => message)]
    const got = await reportOn(scene, all, [
      ...honest,
      b.note({ log: [], at: at(0) }),
      b.note({ number: 1, end: true }),
    ])
    expect(got).toMatchObject({ verdict: 'complete', forks: [], messages: 12 })
    expect(got.runs.map(({ run, size }) => [run, size])).toEqual([
      [RUN, 6],
      [RUN, 6],
    ])
  })

  it('is unaffected by a checkpoint of the issuer that signed the lease of A', async () => {
    const scene = await plant()
    const itself = machine('plant', scene.owner)
    const got = await reportOn(scene, scene.messages, [
      ...scene.honest,
      itself.note({ log: [], at: at(4), from: at(3) }),
    ])
    expect(aboutA(got, scene)).toMatchObject({ missing: [], forks: [], gaps: [] })
    expect(got.forks).toEqual([])
  })

  it('is made separately for A and B if both are keys of one signer', async () => {
    const [old, next] = [machine('a'), machine('a')]
    const keys = [old, next].map(({ party }) => toHex(party.verifyingKey))
    const keyring = await readTrust({ signers: [{ name: 'plant', keys }] })
    const found = new Completeness()
    const notes = [
      old.note({ number: 1, end: true }),
      next.note({ number: 2, log: old.log, first: 6, refused: '2-4', from: at(10), at: at(11) }),
    ]
    for (const note of notes) found.addCheckpoint(await verifyCheckpoint(note, { keyring }))
    for (const { message } of drop(old.log))
      found.addMessage(message, await verifyBatch(message, { keyring }))
    expect(found.report()).toMatchObject([
      { signer: old.party.keyId, name: 'plant', verdict: 'incomplete', refused: 0 },
      { signer: next.party.keyId, name: 'plant', verdict: 'unknown', forks: [] },
    ])
  })
})

describe('a store with the run of key A, whose run id key B uses too,', () => {
  onOneDatabase((database) => {
    it.each(lies)('has the same findings about A even if B signs that %s', async (what) => {
      for (const isCut of [true, false]) {
        const scene = await plant()
        const store = await database.open({ keyring: await readTrust(scene.policy) })
        const some = isCut ? drop(scene.messages) : scene.messages
        await store.ingest([...scene.leases, ...liesOf(what, scene), ...scene.honest, ...some])
        const { signers } = await store.missing()
        const got = signers.find(({ signer }) => signer === scene.owner.keyId) as SignerReport
        expect(aboutA(got, scene)).toMatchObject({
          missing: isCut ? [[2, 4]] : [],
          forks: [],
          gaps: [],
          unlisted: [],
        })
        expect(got.refused).toBe(0)
      }
    })
  })
})

describe('a subscription to the run of key A, whose run id key B uses too,', () => {
  let broker: Awaited<ReturnType<typeof startEmbedded>>
  beforeAll(async () => {
    broker = await startEmbedded()
  })
  afterAll(() => broker.stop())

  /** Watches until the last message of a bystander is reported missing. Returns all findings up to then. */
  async function found(scene: Plant, notes: readonly Uint8Array[], messages: readonly Uint8Array[]) {
    const [topic, bystander] = [`runs-${crypto.randomUUID()}`, machine('c')]
    const signers = [...scene.policy.signers, { name: 'last', keys: [toHex(bystander.party.verifyingKey)] }]
    const bundles = closing(
      subscribe({
        url: broker.tcpUrl,
        topic,
        keyring: await readTrust({ signers }),
        leases: true,
        durable: false,
        completeness: completeness({ graceMs: 200 }),
      }),
    )
    const findings: Finding[] = []
    bundles.addEventListener('incomplete', ({ finding }) => findings.push(finding))
    await bundles.open()
    void (async () => {
      for await (const _ of bundles);
    })()
    const [out, beside] = [
      await sender(broker.tcpUrl, topic),
      await sender(broker.tcpUrl, `${topic}/signers`),
    ]
    const ofBystander = bystander.log.map(({ message }) => message)
    for (const one of scene.leases) await beside.publish(one)
    for (const one of [...messages, ...ofBystander.slice(0, -1)]) await out.publish(one)
    for (const one of [...notes, bystander.note({})]) await beside.publish(one)
    await until(() => findings.some(({ name }) => name === 'last'))
    const { missing, refused, forked, pending } = bundles.stats().completeness ?? {}
    return { findings: findings.filter(({ name }) => name === 'plant'), missing, refused, forked, pending }
  }

  it.each(lies.slice(0, 4))('has the same findings about A even if B signs that %s', async (what) => {
    for (const isFirst of [true, false]) {
      const scene = await plant()
      const notes = isFirst
        ? [...liesOf(what, scene), ...scene.honest]
        : [...scene.honest, ...liesOf(what, scene)]
      const ofA = (findings: readonly Finding[]) =>
        findings.filter((one) => 'keyId' in one && one.keyId === scene.a.party.keyId)
      const cut = await found(scene, notes, drop(scene.messages))
      expect(ofA(cut.findings)).toMatchObject([{ kind: 'missing', first: 2, last: 4, messages: 3 }])
      const whole = await found(scene, notes, scene.messages)
      expect(ofA(whole.findings)).toEqual([])
      expect(whole.forked).toBe(0)
    }
  })
})

describe('a pack about a part of a log whose run id two keys use', () => {
  it('names the log by the key of its checkpoints, not by the issuer of that key’s lease', async () => {
    const { owner, a, policy, leases, honest, messages } = await plant()
    const keyring = await readTrust(policy)
    const wholeBy = async (signer: string) => {
      const about = { log: { signer, run: RUN, from: 0, until: 6 } }
      const { bytes } = await packed(messages, { about, trust: policy, checkpoints: honest, leases })
      return (await verifyPack(bytes, { keyring })).verdict.whole
    }
    expect(await wholeBy(a.party.keyId)).toMatchObject({ word: 'whole by log', missing: 0 })
    expect(await wholeBy(owner.keyId)).toMatchObject({ word: 'not shown', missing: 0 })
  })

  it('reports its missing messages, whatever the other key states about the run', async () => {
    const scene = await plant()
    const keyring = await readTrust(scene.policy)
    for (const what of lies) {
      const about = { log: { signer: scene.a.party.keyId, run: RUN, from: 0, until: 6 } }
      const checkpoints = [...scene.honest, ...liesOf(what, scene)]
      const options = { about, trust: scene.policy, leases: scene.leases, checkpoints }
      const { bytes } = await packed(drop(scene.messages), options)
      const { verdict } = await verifyPack(bytes, { keyring })
      expect([what, verdict.whole]).toMatchObject([what, { word: 'not shown', missing: 3 }])
      expect(verdict.logs).toMatchObject([{ signer: scene.owner.keyId, verdict: 'incomplete' }])
      const whole = await packed(scene.messages, options)
      const complete = (await verifyPack(whole.bytes, { keyring })).verdict.whole
      expect(complete).toMatchObject({ word: 'whole by log', missing: 0 })
    }
  })
})
