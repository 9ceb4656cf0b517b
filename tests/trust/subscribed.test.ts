// @own-process: it stops the clock
// @node-only: it uses files, Buffers, processes or a stopped clock

import {
  generateKey,
  mqtt,
  openSdk,
  type RejectedEvent,
  type SubscriptionOptions,
  source,
  subscribe,
  toHex,
} from 'alvarium-sdk'
import { completeness } from 'alvarium-sdk/completeness'
import { sealSet } from 'alvarium-sdk/sets'
import { issueLease, leased, readTrust, type Trust } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { brokers, type TestBroker } from '../brokers/brokers.js'
import { textOf, utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { openLogged } from '../support/leased.js'
import { closing, next, sender } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'
import { messageFrom, policyOf, trustOf } from '../support/trust.js'

/** Returns a signer with its own key, and its lease from gateway-1. */
async function lessee(name: string) {
  const { signingKey, keyId } = generateKey()
  const lease = await issueLease(key.signingKey, { subject: signingKey, name })
  return { name, keyId, lease, message: () => messageFrom({ signingKey }) }
}

describe.each(brokers)('subscribing to leases with $name', ({ name, start }) => {
  let broker: TestBroker
  let trust: Trust
  beforeAll(async () => {
    broker = await start()
    trust = await trustOf()
  })
  afterAll(() => broker.stop())

  /** Opens a subscription. Returns its rejections, and streams that publish bundles and leases. */
  async function parties(topic: string, options: Partial<SubscriptionOptions> = {}) {
    const { url } = broker
    const { clientId } = options
    const kept = clientId === undefined ? { durable: false as const } : { clientId }
    const how = { keyring: trust, leases: true, closeTimeoutMs: 1, ...options, ...kept } as const
    const bundles = closing(subscribe({ url, topic, ...how }))
    const rejected: RejectedEvent[] = []
    bundles.addEventListener('rejected', (event) => void rejected.push(event))
    await bundles.open()
    const codes = () => rejected.map(({ error }) => error.code)
    const [raw, signers] = [await sender(url, topic), await sender(url, `${topic}/signers`)]
    return { bundles, loop: bundles[Symbol.asyncIterator](), rejected, codes, raw, signers }
  }
  const textsOf = (bundles: readonly { readonly message: Uint8Array }[]) =>
    bundles.map(({ message }) => textOf(message))
  const namesOf = (bundles: readonly { readonly signedBy?: unknown }[]) =>
    bundles.map(({ signedBy }) => (signedBy as { lease?: { name: string } }).lease?.name)

  it('delivers the bundles of a leased key whose lease arrived before them', async () => {
    const [{ loop, raw, signers, codes }, edge] = [await parties('before'), await lessee('edge-7')]
    await signers.publish(edge.lease)
    await raw.publish(await edge.message())
    const [bundle] = await next(loop, 1)
    expect(bundle?.signedBy).toMatchObject({ id: key.keyId, name: 'gateway-1', time: 'received' })
    expect(bundle?.signer).toBe(edge.keyId)
    expect(codes()).toEqual([])
  })

  // claim: trust-44
  it('holds back bundles until their lease arrives, while other bundles are delivered', async () => {
    // The stopped clock keeps messages from waiting too long, on any machine.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const [{ loop, raw, signers, codes }, edge] = [await parties('after'), await lessee('late')]
    const early = [await edge.message(), await edge.message()]
    for (const message of early) await raw.publish(message)
    await raw.publish(await messageFrom())
    const [other] = await next(loop, 1)
    expect(other?.signer).toBe(key.keyId)
    await signers.publish(edge.lease)
    const some = await next(loop, 2)
    expect(textsOf(some)).toEqual(early.map(textOf))
    expect(namesOf(some)).toEqual(['late', 'late'])
    expect(codes()).toEqual([])
  })

  // claim: threats-85
  it('continues in order while a stranger sends bundles, each signed by a new random key', async () => {
    const { loop, raw, codes } = await parties('strangers', { prefetch: 16 })
    const mine = await Promise.all(Array.from({ length: 60 }, () => messageFrom()))
    for (const message of mine) {
      const strange = await Promise.all(
        [1, 2, 3].map(() => messageFrom({ signingKey: generateKey().signingKey })),
      )
      await Promise.all([...strange, message].map((one) => raw.publish(one)))
    }
    const some = await next(loop, mine.length)
    expect(textsOf(some)).toEqual(mine.map(textOf))
    // At most half of the window waits: the other messages were pushed out and refused.
    expect(codes().length).toBeGreaterThanOrEqual(3 * 60 - 16)
    expect(new Set(codes())).toEqual(new Set(['SIGNER_UNKNOWN']))
  })

  // claim: sets-22
  it('ignores leases, checkpoints and sets unless the subscription asks for them', async () => {
    const [{ bundles, loop, raw, codes }, { lease }] = [
      await parties('neither', { leases: undefined }),
      await lessee('edge-7'),
    ]
    const checkpoint = utf8('{"messageType":"alvarium.Checkpoint/1","content":"alvarium"}')
    const indented = utf8(` ${textOf(checkpoint)}`)
    const { message: set } = await sealSet([utf8('a')], { signingKey: key.signingKey })
    const proof = utf8('{"messageType":"alvarium.InputProof/1","content":{}}')
    for (const message of [lease, checkpoint, indented, set, proof, await messageFrom()])
      await raw.publish(message)
    const [bundle] = await next(loop, 1)
    expect(bundle?.signer).toBe(key.keyId)
    expect(codes()).toEqual([])
    expect(bundles.skipped).toBe(5)
  })

  // claim: completeness-3
  it('holds back a checkpoint until its lease arrives, and then reports the missing messages', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { bundles, loop, raw, signers, codes } = await parties('logged', {
      completeness: completeness({ graceMs: 0, silentMs: 3_600_000 }),
    })
    const found = new Promise<string>((resolve) => {
      bundles.addEventListener('incomplete', ({ finding }) => resolve(finding.text))
    })
    const { sdk, leases, notes, messages } = await openLogged()
    for (let at = 0; at < 3; at++) await sdk.create(Uint8Array.of(at))
    await sdk.close()
    for (const note of notes) await signers.publish(note)
    for (const message of messages.toSpliced(1, 1)) await raw.publish(message)
    await signers.publish(leases[0] as Uint8Array)
    await next(loop, 2)
    const more = loop.next()
    expect(await found).toMatch(/^gateway-1: 1 missing, position 1,/)
    await bundles.close()
    await more
    expect(codes()).toEqual([])
  })

  it('rejects invalid leases, and accepts a valid one', async () => {
    const other = generateKey()
    const { signers } = policyOf()
    const policy = { signers: [...signers, { name: 'gateway-2', keys: [toHex(other.verifyingKey)] }] }
    const party = await parties('bad', { keyring: await readTrust(policy) })
    const edge = await lessee('edge-7')
    const stranger = generateKey()
    const forged = await issueLease(stranger.signingKey, { subject: generateKey().signingKey })
    const ofPolicy = await issueLease(key.signingKey, { subject: other.signingKey })
    const bad = [forged, edge.lease.slice(0, -1), ofPolicy]
    for (const one of [...bad, edge.lease]) await party.signers.publish(one)
    await party.raw.publish(await edge.message())
    expect(namesOf(await next(party.loop, 1))).toEqual(['edge-7'])
    expect(party.codes()).toEqual(['SIGNER_UNKNOWN', 'MESSAGE_MALFORMED', 'SIGNER_NOT_ALLOWED'])
    expect(party.rejected[0]?.topic).toBe('bad/signers')
  })

  // claim: trust-28
  it('passes each new lease to onLease before acknowledging it, and recognizes the lease after a restart', async () => {
    const stored: Uint8Array[] = []
    const [topic, clientId, edge] = ['stored', 'archive-of-leases', await lessee('edge-7')]
    const onLease = (lease: Uint8Array) => stored.push(lease)
    const durable = { clientId, leases: { onLease } }
    const first = await parties(topic, durable)
    await first.signers.publish(edge.lease)
    await first.signers.publish(edge.lease)
    await first.raw.publish(await edge.message())
    expect(namesOf(await next(first.loop, 1))).toEqual(['edge-7'])
    await first.bundles.close()
    expect(stored.map(textOf)).toEqual([textOf(edge.lease)])
    await first.raw.publish(await edge.message())
    const known = [utf8('{}'), ...stored]
    const second = await parties(topic, { ...durable, leases: { known, onLease } })
    // The first message was not acknowledged, and is redelivered.
    expect(namesOf(await next(second.loop, 2))).toEqual(['edge-7', 'edge-7'])
    expect(second.codes()).toEqual([])
    expect(stored).toHaveLength(1)
  })

  it('ends with an error when a lease cannot be stored, and the lease stays at the broker', async () => {
    const full = () => {
      throw new Error('the disk is full')
    }
    const { loop, signers } = await parties('full', { leases: { onLease: full } })
    await signers.publish((await lessee('edge-7')).lease)
    const { code, message } = await failure(() => loop.next())
    expect(code).toBe('STORE_FAILED')
    expect(message).toBe('leases.onLease: expected the function to accept the message, got: the disk is full')
  })

  it('rejects bundles under a lease after an updated policy has revoked the issuer', async () => {
    const [policy, edge] = [await trustOf(), await lessee('edge-7')]
    const { loop, raw, signers, rejected } = await parties('updated', { keyring: policy })
    await signers.publish(edge.lease)
    await raw.publish(await edge.message())
    expect(namesOf(await next(loop, 1))).toEqual(['edge-7'])
    const revoked = { since: '2026-01-01T00:00:00Z' }
    const other = generateKey()
    const another = { name: 'other', keys: [toHex(other.verifyingKey)] }
    await policy.update({ signers: [...policyOf({ revoked }).signers, another] })
    await raw.publish(await edge.message())
    await raw.publish(await messageFrom({ signingKey: other.signingKey }))
    expect((await next(loop, 1))[0]?.signedBy?.name).toBe('other')
    expect(rejected.map(({ error }) => error.code)).toEqual(['SIGNER_REVOKED'])
  })

  it('verifies bundles by leases that their SDK publishes, even if the subscription opens later', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const topic = 'sdk'
    const signers = mqtt({ url: broker.url, topic: `${topic}/signers` })
    const sdk = await openSdk({
      signingKey: leased(key.signingKey, { stream: signers, every: 2 }),
      annotators: [source()],
      stream: mqtt({ url: broker.url, topic }),
    })
    await sdk.create(utf8('nobody is there'))
    const { loop } = await parties(topic)
    const published: Promise<unknown>[] = []
    // The SDK publishes its lease again with one of these messages: earlier ones wait for it.
    for (let at = 0; at < 4; at++) published.push(sdk.create(utf8(`${at}`)))
    published.push(sdk.createMany([utf8('a'), utf8('b')]))
    const some = await next(loop, 6)
    await Promise.all(published)
    await sdk.close()
    expect(new Set(some.map(({ signedBy }) => signedBy?.name))).toEqual(new Set(['gateway-1']))
  })

  // The embedded broker does not support shared subscriptions.
  if (name === 'Mosquitto') {
    // claim: trust-40
    it('delivers all leases to each member of a group', async () => {
      const topic = 'shared'
      const [one, other] = [await parties(topic, { group: 'g' }), await parties(topic, { group: 'g' })]
      const edge = await lessee('edge-7')
      await one.signers.publish(edge.lease)
      const count = 20
      for (let at = 0; at < count; at++) await one.raw.publish(await edge.message())
      const names: unknown[] = []
      const each = [one, other].map(async ({ bundles, loop }) => {
        for (let got = await loop.next(); !got.done; got = await loop.next()) {
          names.push(got.value.signedBy?.lease?.name)
          await got.value.ack()
          if (names.length === count) await Promise.all([one.bundles.close(), other.bundles.close()])
        }
        return bundles
      })
      await Promise.all(each)
      expect(names).toEqual(Array.from({ length: count }, () => 'edge-7'))
      expect([...one.codes(), ...other.codes()]).toEqual([])
    })
  }
})

describe('the leases of a subscription by topic', () => {
  const url = 'mqtt://localhost:1'
  const where = { url, topic: 'a/#', durable: false } as const
  it('need a trust policy, and a topic of their own if the subscription is shared by a group', async () => {
    const trust = await trustOf()
    const codeOf = (act: () => unknown) => failure(async () => act()).then(({ message }) => message)
    expect(await codeOf(() => subscribe({ ...where, keyring, leases: true }))).toBe(
      'leases: needs a trust policy in the option keyring',
    )
    expect(await codeOf(() => subscribe({ ...where, keyring: trust, group: 'g', leases: true }))).toContain(
      'leases.topic: needs the topic filters of the leases',
    )
    const more = { topics: 'a' } as never
    expect(await codeOf(() => subscribe({ ...where, keyring: trust, leases: more }))).toContain('topics')
  })
})
