// @node-only: it uses files, Buffers, processes or a stopped clock

import { keyIdOf } from 'alvarium-sdk'
import { readTrust } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { openLeases } from '../attack/leases.mjs'
import { openBench } from '../attack/policies.mjs'
import { messageOf, newKeys, policyOf, receivedAt } from '../attack/policy-makes.mjs'
import { bundleVerdict } from '../attack/policy-model.mjs'
import { Random } from '../attack/random.mjs'
import { Tally } from '../attack/tally.mjs'

const ids = new Map<unknown, string>()
/** Returns a cached key id: parsing keys takes longer than all the rest. */
function idOf(key: string): string {
  const id = ids.get(key) ?? keyIdOf(key)
  ids.set(key, id)
  return id
}

const KEYS = 6
const POLICIES = 150
const UNDER_EACH = 60

// claim: threats-81
it('a trust policy agrees with a simple model of trust policies on thousands of bundles', async () => {
  const random = new Random(27)
  const keys = await newKeys()
  const bundles = Array.from({ length: 48 }, () => messageOf(random, keys.slice(0, KEYS - 1))).flatMap(
    ({ facts }) => facts,
  )
  const verdicts = new Map<string, number>()
  for (let count = 0; count < POLICIES; count++) {
    const policy = policyOf(random, keys)
    const trust = await readTrust(policy)
    for (let one = 0; one < UNDER_EACH; one++) {
      const [bundle, at] = [random.pick(bundles), receivedAt(random)]
      const { verdict, signedBy } = await trust.explain(bundle, { receivedAt: at })
      const told = verdict === 'ACCEPTED' ? signedBy?.name : verdict
      const expected = bundleVerdict(policy, idOf, bundle, at)
      if (told !== expected) expect({ policy, bundle, at, told }).toBe(expected)
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
    }
  }
  for (const [, count] of verdicts) expect(count).toBeGreaterThan(POLICIES)
  expect(verdicts.size).toBe(5)
})

// claim: threats-88
it('a trust policy has the same verdicts in every way of verifying, even while the policy changes', async () => {
  const tally = new Tally()
  const bench = await openBench(new Random(28), 24)
  while (tally.inputs < 64) await bench.round(tally)
  await bench.close()
  expect(tally.findings).toEqual([])
  expect(tally.verdicts).toBeGreaterThan(500)
})

// claim: trust-16
it('a lease never permits more than its issuer may, in every way of verifying', async () => {
  const tally = new Tally()
  const bench = await openLeases(new Random(29), 24)
  while (tally.inputs < 96) await bench.round(tally)
  await bench.close()
  expect(tally.findings).toEqual([])
  expect(tally.verdicts).toBeGreaterThan(300)
})
