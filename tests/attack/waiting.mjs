// Attacks of a stranger who fills the space of bundles that wait for leases. A subscription gets bundles of random
// signers, of a few repeating signers, and with forged signatures and leases. All honest bundles among them must
// arrive, in order.

import { randomUUID } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { generateKey, mqtt, subscribe, toHex } from 'alvarium-sdk'
import { issueLease, readTrust } from 'alvarium-sdk/trust'
import { startBroker } from '../../examples/broker/broker.mjs'
import { leaseOf } from './lease-makes.mjs'
import { alone, signed } from './policy-makes.mjs'
import { Random } from './random.mjs'
import { inRounds } from './tally.mjs'

const PREFETCH = 64
const MOST_WAITING = PREFETCH / 2
/** Messages per round, and the highest number at the broker at once. */
const EACH = 512
const UNSETTLED = 256
/** The longest time for any message to arrive. */
const LONGEST_MS = 30_000

/** The kind of bundles by a signer in the policy. */
const HONEST = 'an honest bundle'

const decoder = new TextDecoder()

/** @param {{ seed: number, count: number }} options */
export async function waiting({ seed, count }) {
  return inRounds(await openTopic(new Random(seed, 11)), count)
}

/** @param {Random} random */
async function openTopic(random) {
  const broker = await startBroker()
  const [issuer, stranger] = [generateKey(), generateKey()]
  const trust = await readTrust({ signers: [{ name: 'gateway-1', keys: [toHex(issuer.verifyingKey)] }] })
  const where = { url: broker.tcpUrl, topic: `waiting-${randomUUID()}` }
  const messages = subscribe({
    ...where,
    keyring: trust,
    leases: true,
    prefetch: PREFETCH,
    durable: false,
    closeTimeoutMs: 1,
  })
  const heard = new Heard()
  messages.addEventListener('rejected', ({ message, error }) =>
    heard.settle(decoder.decode(message), error.code),
  )
  await messages.open()
  const loop = deliver(messages, heard)
  const [bundles, leases] = [mqtt(where), mqtt({ ...where, topic: `${where.topic}/signers` })]
  await Promise.all([bundles.connect(), leases.connect()])
  const makes = new Makes(random, { issuer, stranger })
  const round = async (tally) => {
    const sending = []
    for (let one = 0; one < EACH; one++) {
      const { kind, lease, message, expected } = await makes.next()
      const start = performance.now()
      await heard.atMost(UNSETTLED)
      if (lease) await leases.publish(lease)
      if (message) {
        heard.expect(decoder.decode(message), { kind, expected, tally })
        sending.push(bundles.publish(message))
      }
      tally.count(kind)
      tally.slowest = Math.max(tally.slowest, performance.now() - start)
    }
    await Promise.all(sending)
  }
  const close = async () => {
    await heard.all()
    await heard.atMost(MOST_WAITING)
    await Promise.all([messages.close(), bundles.close(), leases.close()])
    await loop
    await broker.close()
  }
  return { round, close }
}

async function deliver(messages, heard) {
  for await (const { message, signedBy } of messages) {
    heard.settle(decoder.decode(message), signedBy.lease ? 'leased' : signedBy.name)
  }
}

/** Messages sent, and their outcomes. */
class Heard {
  /** @type {Map<string, { kind: string, expected: readonly string[], tally: import('./tally.mjs').Tally, at: number }>} */
  #sent = new Map()
  #number = 0
  #last = 0

  expect(message, what) {
    this.#sent.set(message, { ...what, at: ++this.#number })
  }

  settle(message, verdict) {
    // A bad lease.
    if (message.startsWith('{"messageType":"alvarium.Lease/1"')) return
    const sent = this.#sent.get(message)
    if (!sent) throw new Error(`${verdict} for what was not sent, or twice: ${message.slice(0, 200)}`)
    this.#sent.delete(message)
    const { kind, expected, tally, at } = sent
    tally.verdicts++
    tally.outcome('waiting', verdict)
    if (!expected.includes(verdict))
      tally.disagreement(`${kind} is told ${verdict}, for ${expected}`, message)
    if (kind !== HONEST) return
    if (at < this.#last) tally.disagreement('honest bundles come in another order', { at, after: this.#last })
    this.#last = at
  }

  async atMost(count) {
    while (this.#sent.size > count) await setImmediate()
  }

  /** Waits for all messages, except messages that may wait for a lease. */
  async all() {
    const isOut = ({ expected }) => !expected.includes('SIGNER_UNKNOWN')
    const start = performance.now()
    while ([...this.#sent.values()].some(isOut) && performance.now() - start < LONGEST_MS)
      await setTimeout(10)
    for (const [message, one] of this.#sent) {
      if (isOut(one)) one.tally.disagreement(`${one.kind} has not come`, message)
    }
  }
}

/** Messages of all kinds, each with its expected verdict. */
class Makes {
  #random
  #issuer
  #stranger
  #leased = []
  #late
  #strangers
  #count = 0

  constructor(random, { issuer, stranger }) {
    this.#random = random
    this.#issuer = issuer
    this.#stranger = stranger
    this.#strangers = Array.from({ length: 4 }, () => generateKey())
  }

  async next() {
    const choice = this.#random.below(16)
    if (choice < 2) return { kind: HONEST, message: this.#by(this.#issuer), expected: ['gateway-1'] }
    if (choice < 4) return this.#byLease()
    if (choice === 4) return this.#early()
    if (choice === 5) return { kind: 'a lease that is no good', lease: await this.#badLease() }
    if (choice === 6) {
      // The id of a known signer, under the signature of another.
      const forged = { ...this.#stranger, keyId: this.#issuer.keyId }
      return { kind: 'a forged bundle', message: this.#by(forged), expected: ['SIGNATURE_INVALID'] }
    }
    if (choice < 10) {
      const message = this.#by(this.#random.pick(this.#strangers))
      return { kind: 'a bundle of one of few strangers', message, expected: ['SIGNER_UNKNOWN'] }
    }
    const message = this.#by({ ...this.#stranger, keyId: toHex(this.#random.bytes(16)) })
    return { kind: 'a bundle of a random signer', message, expected: ['SIGNER_UNKNOWN'] }
  }

  /** Returns a bundle by a lease, which comes before the first bundle of its key. */
  async #byLease() {
    const isNew = this.#leased.length === 0 || this.#random.below(8) === 0
    const key = isNew ? generateKey() : this.#random.pick(this.#leased)
    if (isNew) this.#leased = [...this.#leased.slice(-7), key]
    const lease = isNew ? await this.#leaseFor(key) : undefined
    return { kind: 'a leased bundle', lease, message: this.#by(key), expected: ['leased'] }
  }

  /** Returns a bundle whose lease comes later, or never if too many strangers come before it. */
  async #early() {
    const key = this.#late ?? generateKey()
    const lease = this.#late && (await this.#leaseFor(key))
    this.#late = lease ? undefined : key
    const expected = lease ? ['leased'] : ['leased', 'SIGNER_UNKNOWN']
    const kind = lease ? 'a leased bundle' : 'a bundle before its lease'
    return { kind, lease, message: this.#by(key), expected }
  }

  #leaseFor({ signingKey }) {
    return issueLease(this.#issuer.signingKey, { subject: signingKey, ttlMs: 3_600_000 })
  }

  async #badLease() {
    const own = generateKey()
    if (this.#random.below(2) === 0)
      return issueLease(own.signingKey, { subject: this.#random.pick(this.#strangers).signingKey })
    for (;;) {
      const made = leaseOf(this.#random, [this.#issuer, this.#stranger, own])
      if (!made.isSound) return made.message
    }
  }

  #by(key) {
    const content = {
      key: toHex(this.#random.bytes(32)).toUpperCase(),
      hash: 'sha256',
      host: `${++this.#count}`,
      layer: 'app',
    }
    return signed(
      alone({ action: 'create', ...content, timestamp: new Date().toISOString(), annotations: [] }),
      key,
    )
  }
}
