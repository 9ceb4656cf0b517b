// Attacks on trust policies. Random policies and messages, on every path of verification, are compared with a plain
// model. Some bundles of revoked keys are backdated, and some policies change during verification.

import { cbor, keyIdOf, verifyBatch, verifyClassic, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { readTrust } from 'alvarium-sdk/trust'
import { verifyReceived } from '../../dist/verifying/verify/messages.js'
import { messageOf, newKeys, policyOf, receivedAt } from './policy-makes.mjs'
import { annotationVerdict, bundleVerdict, isBackdated, messageVerdict } from './policy-model.mjs'
import { Random } from './random.mjs'
import { inRounds } from './tally.mjs'

/** Messages under each policy. */
const UNDER_EACH = 64
/** Messages per bench: making them takes most of the time. */
const MESSAGES = 256

/** @param {{ seed: number, count: number }} options */
export async function policies({ seed, count }) {
  return inRounds(await openBench(new Random(seed, 7)), count)
}

/**
 * Opens keys, messages and workers, for any number of rounds.
 *
 * @param {Random} random @param {number} [count] number of messages
 */
export async function openBench(random, count = MESSAGES) {
  const keys = await newKeys()
  const workers = await pool({ workers: 1 })
  const messages = Array.from({ length: count }, () => messageOf(random, keys))
  const ids = new Map()
  const idOf = (key) => ids.get(key) ?? ids.set(key, keyIdOf(key)).get(key)
  const round = async (tally) => {
    const [policy, next] = [policyOf(random, keys), policyOf(random, keys)]
    const cases = Array.from({ length: UNDER_EACH }, () => ({
      ...random.pick(messages),
      at: receivedAt(random),
    }))
    const trust = await readTrust(policy)
    await everyWay({ tally, trust, policy, idOf, workers }, cases)
    await whileItChanges({ tally, trust, policies: [policy, next], idOf, workers }, cases)
    await trust.close()
  }
  return { round, close: () => workers.close() }
}

async function everyWay({ tally, trust, policy, idOf, workers }, cases) {
  const judged = async (one) => {
    const { facts, at } = one
    const expected = messageVerdict(policy, idOf, facts, at)
    tally.count(facts.length > 1 ? 'a batch under a policy' : 'a bundle under a policy')
    tally.outcome('policies', expected.startsWith('signer ') ? 'ACCEPTED' : expected)
    if (isBackdated(policy, idOf, facts, at)) {
      tally.outcomes('backdated: signed before the revocation, and received after it', 1)
      if (expected !== 'SIGNER_REVOKED')
        tally.disagreement(`backdated, and told ${expected}`, { policy, facts, at })
    }
    const options = { keyring: trust, receivedAt: at }
    const told = {
      'alone or as a batch': await verdictOf(verifyBatch(one.json, options)),
      CBOR: await verdictOf(verifyBatch(one.cbor, { ...options, codec: cbor() })),
      'a pool': await verdictOf(verifyBatch(one.json, { ...options, pool: workers })),
      explain: await explained(trust, facts, at),
    }
    for (const [way, verdict] of Object.entries(told))
      compare(tally, way, verdict, expected, { policy, facts, at })
    await takenOut({ tally, policy, idOf }, one, options)
    if (one.classic) await asClassic({ tally, policy, idOf }, one, options)
  }
  const start = performance.now()
  await Promise.all(cases.map(judged))
  tally.slowest = Math.max(tally.slowest, (performance.now() - start) / cases.length)
  await together({ tally, trust, policy, idOf, workers }, cases)
}

async function takenOut({ tally, policy, idOf }, { facts, extracted, at }, options) {
  for (const [index, message] of extracted.entries()) {
    const expected = bundleVerdict(policy, idOf, facts[index], at)
    const verdict = await verdictOf(verifyMessage(message, options).then((bundle) => [bundle]))
    compare(tally, 'taken out', verdict, expected, { policy, facts, at, index })
  }
}

async function asClassic({ tally, policy, idOf }, { facts, classic, at }, options) {
  const [bundle] = facts
  const { annotations } = await verifyClassic(classic, options)
  for (const [index, one] of annotations.entries()) {
    const expected = annotationVerdict(policy, idOf, bundle, bundle.annotations[index], at)
    const verdict = one.status === 'fulfilled' ? one.value.signedBy.name : one.reason.code
    compare(tally, 'classic', verdict, expected, { policy, facts, at, index })
  }
}

async function together({ tally, trust, policy, idOf, workers }, cases) {
  const messages = cases.map(({ json }) => json)
  for (const more of [{}, { pool: workers }]) {
    // All messages have one time of receipt here.
    const { at } = cases[0]
    const told = await verifyMessages(messages, { keyring: trust, receivedAt: at, ...more })
    for (const [index, { facts }] of cases.entries()) {
      const expected = messageVerdict(policy, idOf, facts, at)
      compare(tally, 'together', settledVerdict(told[index]), expected, { policy, facts, at })
    }
  }
  // A subscription knows the time of receipt of each message.
  const received = await verifyReceived(messages, { keyring: trust }, (index) => cases[index].at)
  for (const [index, { facts, at }] of cases.entries()) {
    const expected = messageVerdict(policy, idOf, facts, at)
    compare(tally, 'a subscription', settledVerdict(received[index]), expected, { policy, facts, at })
  }
}

/** Checks that each verdict is one of either policy as a whole, while the policy changes. */
async function whileItChanges({ tally, trust, policies, idOf, workers }, cases) {
  const judged = cases.flatMap(({ json, cbor: binary, extracted, facts, at }) => {
    const options = { keyring: trust, receivedAt: at }
    const last = facts.length - 1
    const ways = [
      [facts, verifyBatch(json, options)],
      [facts, verifyBatch(binary, { ...options, codec: cbor() })],
      [facts, verifyBatch(json, { ...options, pool: workers })],
      [[facts[last]], verifyMessage(extracted[last], options).then((bundle) => [bundle])],
    ]
    return ways.map(([said, way]) => ({ facts: said, at, verdict: verdictOf(way) }))
  })
  const updated = trust.update(policies[1])
  const messages = cases.map(({ json }) => json)
  const [{ at: first }] = cases
  const together = [{}, { pool: workers }].map((more) => ({
    atOf: () => first,
    verified: verifyMessages(messages, { keyring: trust, receivedAt: first, ...more }),
  }))
  const atOf = (index) => cases[index].at
  together.push({ atOf, verified: verifyReceived(messages, { keyring: trust }, atOf) })
  for (const { facts, at, verdict } of judged) eitherOf(tally, await verdict, policies, idOf, facts, at)
  for (const { atOf, verified } of together) {
    for (const [index, one] of (await verified).entries()) {
      eitherOf(tally, settledVerdict(one), policies, idOf, cases[index].facts, atOf(index))
    }
  }
  await updated
  const [{ json, facts, at }] = cases
  const after = await verdictOf(verifyBatch(json, { keyring: trust, receivedAt: at }))
  compare(tally, 'after an update', after, messageVerdict(policies[1], idOf, facts, at), {
    policies,
    facts,
    at,
  })
}

function eitherOf(tally, verdict, policies, idOf, facts, at) {
  tally.verdicts++
  const expected = policies.map((policy) => messageVerdict(policy, idOf, facts, at))
  if (expected.includes(verdict)) return
  tally.disagreement(`${verdict} while a policy changed, for ${expected.join(' or ')}`, {
    policies,
    facts,
    at,
  })
}

function compare(tally, way, verdict, expected, input) {
  tally.verdicts++
  if (verdict !== expected) tally.disagreement(`${way} says ${verdict}, for ${expected}`, input)
}

async function verdictOf(verified) {
  try {
    const [{ signedBy }] = await verified
    return signedBy.name
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error) {
  if (typeof error?.code === 'string') return error.code
  throw error
}

const settledVerdict = (one) => (one.status === 'fulfilled' ? one.value[0].signedBy.name : codeOf(one.reason))

async function explained(trust, facts, at) {
  const told = await Promise.all(
    facts.map((bundle) => trust.explain({ ...bundle, key: '', hash: 'sha256' }, { receivedAt: at })),
  )
  const refused = told.find(({ verdict }) => verdict !== 'ACCEPTED')
  return refused ? refused.verdict : told[0].signedBy.name
}
