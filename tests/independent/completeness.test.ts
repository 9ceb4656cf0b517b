// @slow: Python

import { generateKey, toHex, verifyBatch } from 'alvarium-sdk'
import { Completeness, type SignerReport, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { base64 } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { runByHand } from '../support/run-by-hand.js'
import { verdictsOf } from './python.js'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const countOf = (ranges: readonly { readonly first: number; readonly last: number }[]) =>
  ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)

/** Messages and checkpoints of some signers. */
interface Evidence {
  readonly messages: readonly Uint8Array[]
  readonly notes: readonly Uint8Array[]
}

/** Returns our report, in the words of the other verifier. */
async function reportOn({ messages, notes }: Evidence, keyring: readonly Uint8Array[], toleranceMs: number) {
  const found = new Completeness({ toleranceMs })
  for (const note of notes) found.addCheckpoint(await verifyCheckpoint(note, { keyring }))
  for (const one of messages) found.addMessage(one, await verifyBatch(one, { keyring }))
  const told = ({
    signer,
    verdict,
    missing,
    refused,
    pending,
    missingInGaps,
    gaps,
    ...more
  }: SignerReport) => ({
    signer,
    verdict,
    missing: countOf(missing),
    refused,
    undecided: pending,
    inGaps: missingInGaps,
    gaps: gaps.length,
    unlisted: more.unlisted.length,
    unknown: more.unknown,
    forks: more.forks.length,
    beginnings: more.runs.filter(({ before }) => before > 0).length,
  })
  const reports = found.report().filter(({ runs }) => runs.length > 0)
  return reports.map(told).sort((one, other) => (one.signer < other.signer ? -1 : 1))
}

it('a Python implementation and the SDK report the same completeness for random messages and checkpoints of two signers', async () => {
  const random = new Random(45)
  const parties = [generateKey(), generateKey()] as const
  const keyring = parties.map(({ verifyingKey }) => verifyingKey)
  const cases = Array.from({ length: 60 }, () => {
    const [messages, notes]: [Uint8Array[], Uint8Array[]] = [[], []]
    const oneIn = 2 + random.below(20)
    for (const party of parties) {
      const lives: ReturnType<typeof runByHand>[] = []
      for (let at = 0; at < 1 + random.below(3); at++) {
        lives.push(runByHand(random, party, NOON + at * random.pick([3_000, 90_000]), lives.at(-1)))
      }
      // A second run with the run id of the first one is a fork, and so are two texts of one checkpoint.
      if (random.below(5) === 0) lives.push(runByHand(random, party, NOON, undefined, lives[0]?.run))
      const hidden = random.below(3) === 0 ? lives.at(-2) : undefined
      for (const life of lives) {
        const { log, notes: all } = life
        const cut = random.below(3) === 0 ? random.below(all.length) : 0
        if (life !== hidden) notes.push(...all.filter((_, at) => at >= cut && random.below(oneIn) > 0))
        messages.push(...log.filter(() => random.below(oneIn) > 0).map(({ message }) => message))
      }
    }
    return {
      messages: random.shuffled(messages),
      notes: random.shuffled(notes),
      tolerance: random.pick([0, 500, 60_000]),
    }
  })
  const asked = cases.map(({ messages, notes, tolerance }) => ({
    report: { checkpoints: notes.map(base64), messages: messages.map(base64), tolerance },
  }))
  const theirs = await verdictsOf(asked, keyring.map(toHex))
  const words = new Set<string>()
  for (const [at, one] of cases.entries()) {
    const reports = await reportOn(one, keyring, one.tolerance)
    expect({ reports }, `case ${at}`).toEqual(theirs[at])
    for (const { verdict } of reports) words.add(verdict)
  }
  expect([...words].sort()).toEqual(['complete', 'incomplete', 'unknown'])
})

it('a Python implementation and the SDK count the same missing bundles of incomplete batches', async () => {
  const random = new Random(46)
  const { sdk, keyring, messages, notes } = await loggedSdk({ batch: { maxBundles: 3 } }, { every: 2 })
  for (let at = 0; at < 6; at++)
    await sdk.createMany([Uint8Array.of(at), Uint8Array.of(at, 1), Uint8Array.of(at, 2)])
  await sdk.close()
  const cases = Array.from({ length: 40 }, () => ({
    messages: messages.filter(() => random.below(4) > 0),
    notes: notes.filter(() => random.below(6) > 0),
  }))
  const asked = cases.map((one) => ({
    report: { checkpoints: one.notes.map(base64), messages: one.messages.map(base64), tolerance: 60_000 },
  }))
  const theirs = await verdictsOf(asked, keyring.map(toHex))
  for (const [at, one] of cases.entries())
    expect({ reports: await reportOn(one, keyring, 60_000) }).toEqual(theirs[at])
})
