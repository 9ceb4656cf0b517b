// Does a lease ever say more than it may? Random leases, forged and altered ones among them, under random policies: by every way, and
// compared with a plain model.

import { cbor, keyIdOf, verifyBatch, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { readTrust } from 'alvarium-sdk/trust'
import { TRUST } from '../../dist/keys/trust-policy.js'
import { verifyReceived } from '../../dist/verify/messages.js'
import { leaseOf, leasing } from './lease-makes.mjs'
import { messageOf, newKeys, policyOf, receivedAt } from './policy-makes.mjs'
import { leasedVerdict } from './policy-model.mjs'
import { Random } from './random.mjs'
import { inRounds } from './tally.mjs'

/** Messages under each policy, and leases with each of them. */
const UNDER_EACH = 32
const MOST_LEASES = 6
/** To be made is what takes the time. */
const MADE = 256

/** @param {{ seed: number, count: number }} options */
export async function leases({ seed, count }) {
  return inRounds(await openLeases(new Random(seed, 9)), count)
}

/** Keys, messages and workers, for as many rounds as are wanted. @param {Random} random @param {number} [count] of messages */
export async function openLeases(random, count = MADE) {
  const keys = await newKeys()
  const workers = await pool({ workers: 1 })
  const messages = Array.from({ length: count }, () => messageOf(random, keys))
  const made = Array.from({ length: 2 * count }, () => leaseOf(random, keys))
  const ids = new Map()
  const idOf = (key) => ids.get(key) ?? ids.set(key, keyIdOf(key)).get(key)
  const round = async (tally) => {
    // Some of the keys are nobody's, so that leases matter.
    const policy = leasing(random, policyOf(random, keys.slice(0, 1 + random.below(keys.length))))
    const trust = await readTrust(policy)
    const under = { tally, trust, policy, idOf, workers }
    for (let one = 0; one < UNDER_EACH; one++) {
      const given = Array.from({ length: random.below(MOST_LEASES) }, () => random.pick(made))
      await everyWay(under, random.pick(messages), given, receivedAt(random))
    }
    await trust.close()
  }
  return { round, close: () => workers.close() }
}

async function everyWay({ tally, trust, policy, idOf, workers }, message, given, at) {
  const { facts, json, extracted } = message
  const sound = given.filter(({ isSound }) => isSound).map(({ lease }) => lease)
  const verdict = (bundles) => leasedVerdict(policy, idOf, bundles, sound, at)
  const expected = verdict(facts)
  const options = { keyring: trust, leases: given.map(({ message }) => message), receivedAt: at }
  tally.count(facts.length > 1 ? 'a batch with leases' : 'a bundle with leases')
  tally.outcome('leases', expected.startsWith('signer ') ? 'ACCEPTED' : expected)
  const start = performance.now()
  const told = [
    ['alone or as a batch', expected, () => verifyBatch(json, options)],
    ['CBOR', expected, () => verifyBatch(message.cbor, { ...options, codec: cbor() })],
    ['a pool', expected, () => verifyBatch(json, { ...options, pool: workers })],
    [
      'together',
      expected,
      () => verifyMessages([json], options).then(([one]) => one.value ?? Promise.reject(one.reason)),
    ],
    ['a subscription', expected, () => received(trust, json, given, at)],
    ...extracted.map((one, index) => {
      const own = verdict([facts[index]])
      return ['taken out', own, () => verifyMessage(one, options).then((bundle) => [bundle])]
    }),
  ]
  for (const [way, wanted, verified] of told) {
    tally.verdicts++
    const got = await verified().then(
      ([{ signedBy }]) => `${signedBy.name}${signedBy.lease ? ` by ${signedBy.lease.serial}` : ''}`,
      ({ code }) => code,
    )
    if (got !== wanted) tally.disagreement(`${way} says ${got}, for ${wanted}`, { policy, facts, given, at })
  }
  tally.slowest = Math.max(tally.slowest, (performance.now() - start) / told.length)
}

/** As a subscription has it, to which the leases came one by one. */
async function received(trust, message, given, at) {
  const { leased } = trust[TRUST]
  const book = leased.newBook()
  try {
    // Those that are not good are rejected, each alone.
    for (const { message: lease } of given) await leased.keep(lease, book).catch(() => undefined)
    const [one] = await verifyReceived([message], { keyring: trust, leases: book }, () => at)
    return one.value ?? (await Promise.reject(one.reason))
  } finally {
    book.close()
  }
}
