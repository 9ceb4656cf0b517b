// Attacks with leases that exceed their permissions. Random leases, some forged or altered, are verified under random
// policies by every path, and compared with a plain model.

import { cbor, keyIdOf, verifyBatch, verifyClassic, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { readTrust } from 'alvarium-sdk/trust'
import { TRUST } from '../../dist/signing/keys/trust-policy.js'
import { verifyReceived } from '../../dist/verifying/verify/messages.js'
import { leaseOf, leasing } from './lease-makes.mjs'
import { messageOf, newKeys, policyOf, receivedAt } from './policy-makes.mjs'
import { leasedAnnotationVerdict, leasedVerdict } from './policy-model.mjs'
import { Random } from './random.mjs'
import { inRounds } from './tally.mjs'

/** Messages under each policy, and the highest number of leases with each message. */
const UNDER_EACH = 32
const MOST_LEASES = 6
/** Messages per bench: making them takes most of the time. */
const MADE = 256

/** @param {{ seed: number, count: number }} options */
export async function leases({ seed, count }) {
  return inRounds(await openLeases(new Random(seed, 9)), count)
}

/**
 * Opens keys, messages and workers, for any number of rounds.
 *
 * @param {Random} random @param {number} [count] number of messages
 */
export async function openLeases(random, count = MADE) {
  const keys = await newKeys()
  const workers = await pool({ workers: 1 })
  const messages = Array.from({ length: count }, () => messageOf(random, keys))
  const made = Array.from({ length: 2 * count }, () => leaseOf(random, keys))
  const ids = new Map()
  const idOf = (key) => ids.get(key) ?? ids.set(key, keyIdOf(key)).get(key)
  const round = async (tally) => {
    // Some of the keys are not in the policy, so that leases matter.
    const policy = leasing(random, policyOf(random, keys.slice(0, 1 + random.below(keys.length))))
    const trust = await readTrust(policy)
    const under = { tally, trust, policy, idOf, workers }
    const cases = Array.from({ length: UNDER_EACH }, () => ({
      message: random.pick(messages),
      given: Array.from({ length: random.below(MOST_LEASES) }, () => givenOf(random, made, messages)),
      at: receivedAt(random),
    }))
    for (const { message, given, at } of cases) await everyWay(under, message, given, at)
    const next = leasing(random, policyOf(random, keys.slice(0, 1 + random.below(keys.length))))
    await whileItChanges({ ...under, policies: [policy, next] }, cases)
    await trust.close()
  }
  return { round, close: () => workers.close() }
}

/** Returns a lease, or in place of one a message with bundles. */
function givenOf(random, made, messages) {
  if (random.below(8) > 0) return random.pick(made)
  const { json, cbor: binary, extracted } = random.pick(messages)
  return { message: random.pick([json, binary, ...extracted]), lease: {}, isSound: false }
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
    ['a subscription', expected, () => received(trust, json, options)],
    ...extracted.map((one, index) => {
      const own = verdict([facts[index]])
      return ['taken out', own, () => verifyMessage(one, options).then((bundle) => [bundle])]
    }),
  ]
  for (const [way, wanted, verified] of told) {
    tally.verdicts++
    const got = await verified().then(([bundle]) => saidBy(bundle), codeOf)
    if (got !== wanted) tally.disagreement(`${way} says ${got}, for ${wanted}`, { policy, facts, given, at })
  }
  if (message.classic) await asClassic({ tally, policy, idOf, sound }, message, options)
  // A lease never verifies as a message with bundles, even if it claims that type.
  for (const { message: lease, isSound } of given.slice(0, 1)) {
    if (!isSound) continue
    tally.verdicts++
    const got = await verifyBatch(lease, options).then(() => 'genuine', codeOf)
    if (got !== 'MESSAGE_MALFORMED') tally.disagreement(`a lease as a message is ${got}`, { lease })
  }
  tally.slowest = Math.max(tally.slowest, (performance.now() - start) / told.length)
}

const codeOf = ({ code }) => code

async function asClassic({ tally, policy, idOf, sound }, { facts, classic }, options) {
  const [bundle] = facts
  const { annotations } = await verifyClassic(classic, options)
  for (const [index, one] of annotations.entries()) {
    const annotation = bundle.annotations[index]
    const expected = leasedAnnotationVerdict(policy, idOf, bundle, annotation, sound, options.receivedAt)
    const verdict = one.status === 'fulfilled' ? saidBy(one.value) : one.reason.code
    tally.verdicts++
    if (verdict === expected) continue
    tally.disagreement(`classic says ${verdict}, for ${expected}`, { policy, facts, index, sound, options })
  }
}

export const saidBy = ({ signedBy }) =>
  `${signedBy.name}${signedBy.lease ? ` by ${signedBy.lease.serial}` : ''}`

/** Checks that each verdict is one of either policy as a whole, while the policy changes. */
async function whileItChanges({ tally, trust, policies, idOf, workers }, cases) {
  const judged = cases.flatMap((one) => {
    const { json, cbor: binary } = one.message
    const options = { keyring: trust, leases: one.given.map(({ message }) => message), receivedAt: one.at }
    const ways = [
      verifyBatch(json, options),
      verifyBatch(binary, { ...options, codec: cbor() }),
      verifyBatch(json, { ...options, pool: workers }),
      verifyMessages([json], options).then(([first]) => first.value ?? Promise.reject(first.reason)),
    ]
    return ways.map((way) => ({ ...one, verdict: way.then(([bundle]) => saidBy(bundle), codeOf) }))
  })
  await trust.update(policies[1])
  for (const { message, given, at, verdict } of judged) {
    const sound = given.filter(({ isSound }) => isSound).map(({ lease }) => lease)
    const expected = policies.map((policy) => leasedVerdict(policy, idOf, message.facts, sound, at))
    tally.verdicts++
    const got = await verdict
    if (expected.includes(got)) continue
    tally.disagreement(`${got} while a policy changed, for ${expected.join(' or ')}`, {
      policies,
      message,
      given,
      at,
    })
  }
}

/** Verifies as a subscription does: the leases arrive one by one. */
export async function received(trust, message, { leases, receivedAt }) {
  const { leased } = trust[TRUST]
  const book = leased.newBook()
  try {
    // Bad leases are rejected one by one.
    for (const lease of leases) await leased.addLease(lease, book).catch(() => undefined)
    const [one] = await verifyReceived([message], { keyring: trust, leases: book }, () => receivedAt)
    return one.value ?? (await Promise.reject(one.reason))
  } finally {
    book.close()
  }
}
