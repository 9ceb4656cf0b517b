// Attacks that leave out messages. Twenty signers restart, repeat and reorder; some of their messages and checkpoints
// are dropped, cut, forked or backdated. A watched subscription must report each fault, and none where nothing was
// changed.

import './virtual-clock.mjs'
import { keyIdOf } from 'alvarium-sdk'
import { completeness } from 'alvarium-sdk/completeness'
import { WATCH } from '../../dist/verifying/consume/watch.js'
import { FAULTS } from './completeness-faults.mjs'
import { signerOf } from './completeness-makes.mjs'
import { Random } from './random.mjs'
import { inRounds } from './tally.mjs'
import { virtualClock } from './virtual-clock.mjs'

const SIGNERS = 20
/** Messages per signer and round; fewer if fewer are wanted. */
const EACH = 1000
/** Delays in virtual milliseconds: of a delivery, and of its repetition. */
const [LATE, REPEATED] = [2_000, 20_000]
const OPTIONS = { graceMs: 3_000, toleranceMs: 1_000, silentMs: 60_000 }
/** The subscription checks after this many messages. */
const OFTEN = 100

/** @param {{ seed: number, count: number }} options */
export async function leftOut({ seed, count }) {
  const random = new Random(seed, 10)
  const each = Math.min(EACH, Math.ceil(count / SIGNERS))
  const round = async (tally) => {
    const listening = virtualClock.now - 10_000
    const signers = []
    for (let at = 0; at < SIGNERS; at++) signers.push(await signerOf(random, each))
    for (const { sent } of signers) for (const { kind } of sent) if (kind === 'message') tally.count('signed')
    const untouched = signers.map((one) => ({ ...one, ...FAULTS.nothing(random, one) }))
    await judged(tally, random, untouched, listening)
    const faulty = []
    for (const one of signers) faulty.push({ ...one, ...(await FAULTS[one.fault](random, one)) })
    await judged(tally, random, faulty, listening)
    virtualClock.now += 3_600_000
  }
  return inRounds({ round, close: async () => {} }, count)
}

async function judged(tally, random, signers, listening) {
  const keyring = signers.map(({ verifyingKey }) => verifyingKey)
  const start = performance.now()
  const { findings, stats } = await watched(random, keyring, signers, listening)
  const told = signers.map(({ verifyingKey }) => toldOf(findings, keyIdOf(verifyingKey)))
  for (const [at, { fault, expected }] of signers.entries()) {
    const { done, unsure, ...wanted } = expected
    for (const what of Object.keys(wanted)) {
      tally.verdicts++
      if (isTold(told[at][what], wanted[what], what === 'missing' ? unsure : 0)) continue
      const [got, instead] = [told[at][what], wanted[what]].map((one) => JSON.stringify(one).slice(0, 400))
      tally.disagreement(`${fault}: ${what} are ${got}, for ${instead}`, {})
    }
    for (const [what, times] of Object.entries(done)) tally.outcomes(`left out: ${what}`, times)
  }
  const missing = told.reduce((total, one) => total + one.missing, 0)
  if (stats.missing !== missing) tally.disagreement(`stats say ${stats.missing}, for ${missing}`, {})
  for (const { text } of findings.filter(isOutOfTime(signers)))
    tally.disagreement('its times are wrong', text)
  tally.slowest = Math.max(tally.slowest, (performance.now() - start) / signers.length / EACH)
}

/** @param {number} unsure - the number of messages whose log is unknown, which need not be reported */
function isTold(got, wanted, unsure) {
  if (typeof wanted === 'number') return got <= wanted && got >= wanted - unsure
  return wanted === 'mixed' || JSON.stringify(got) === JSON.stringify(wanted)
}

async function watched(random, keyring, signers, listening) {
  const findings = []
  const now = virtualClock.now
  virtualClock.now = listening
  // The test calls the check, not its timer.
  const context = { isGroup: false, isBehind: () => true, report: (finding) => findings.push(finding) }
  const watch = completeness(OPTIONS)[WATCH].begin(context)
  watch.setListening()
  const arrivals = delivered(
    random,
    signers.flatMap(({ left }) => left),
  )
  for (const [at, { one, receivedAt }] of arrivals.entries()) {
    if (one.kind === 'checkpoint')
      await watch.addCheckpoint({ message: one.message, receivedAt }, { keyring })
    else watch.addMessage({ message: one.message, receivedAt }, one.verified, undefined)
    if (at % OFTEN === 0) await watch.look(receivedAt, true)
  }
  for (const later of [30_000, 100_000, 200_000]) await watch.look(arrivals.at(-1).receivedAt + later, true)
  watch.close()
  virtualClock.now = now
  return { findings, stats: watch.stats() }
}

function delivered(random, left) {
  const once = left.map((one) => ({ one, receivedAt: one.at + random.below(LATE) }))
  const again = once
    .filter(() => random.below(20) === 0)
    .map(({ one, receivedAt }) => ({ one, receivedAt: receivedAt + random.below(REPEATED) }))
  return [...once, ...again].sort((a, b) => a.receivedAt - b.receivedAt)
}

/** Returns the findings about a signer in the form of the faults applied. */
function toldOf(findings, signer) {
  const own = findings.filter((finding) => finding.signer === signer)
  const missing = own.filter(({ kind }) => kind === 'missing')
  const named = missing.filter(({ bundles }) => bundles !== undefined)
  const counted = missing.filter(({ bundles }) => bundles === undefined)
  return {
    missing: sum(missing.map(({ messages }) => messages)),
    named: named
      .flatMap(({ run, first, messages }) =>
        Array.from({ length: messages }, (_, at) => `${run} ${first + at}`),
      )
      .sort(),
    counted: counted
      .map(({ run, first, last, messages }) => `${run} ${messages} of ${first} to ${last}`)
      .sort(),
    forked: own
      .filter(({ kind }) => kind === 'forked')
      .map(({ run, size }) => `${run} ${size}`)
      .sort(),
    backdated: own
      .filter(({ kind }) => kind === 'backdated')
      .map(({ id }) => id)
      .sort(),
    silent: own.filter(({ kind }) => kind === 'silent').length,
  }
}

/** Returns whether a missing message was signed outside the reported times. */
function isOutOfTime(signers) {
  const times = new Map(
    signers.flatMap(({ sent }) =>
      sent.map(({ kind, id, position, at }) => [`${kind} ${id} ${position}`, at]),
    ),
  )
  return ({ kind, run, first, last, since, until }) => {
    if (kind !== 'missing') return false
    const [begin, end] = [first, last].map((position) => times.get(`message ${run} ${position}`))
    return Date.parse(since) > begin || Date.parse(until) + 1 < end
  }
}

function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0)
}
