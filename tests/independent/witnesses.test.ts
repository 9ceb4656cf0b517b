// @slow: Python

import { generateKey, toHex, verifyBatch } from 'alvarium-sdk'
import { Completeness, type SignerReport, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { verifyPack } from 'alvarium-sdk/packs'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { CASES, proofQuestion, seenLog } from '../attack/witness-makes.mjs'
import { ourWitnessed, runsVerdict, sortedFaults } from '../attack/witness-verdicts.mjs'
import { base64 } from '../support/bytes.js'
import { messageOf, noteOf } from '../support/checkpoints.js'
import { packed } from '../support/packs.js'
import { runByHand } from '../support/run-by-hand.js'
import { NoteSigner } from '../witness/logs.mjs'
import { verdictsOf } from './python.js'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const TOLERANCE = 60_000
const WITNESSES = ['w1', 'w2', 'w3'].map((name) => new NoteSigner(`witness.example/${name}`, 4))
const VKEYS = WITNESSES.map(({ vkey }) => vkey)

// claim: witnesses-8
it('a Python implementation and the SDK agree on notes and proofs with altered witness signatures', async () => {
  const random = new Random(48)
  const asked = Object.values(CASES).flatMap(({ make }) =>
    Array.from({ length: 10 }, () => {
      const seen = seenLog(random)
      const question = make(random, seen)
      const isProof = question.notes.length === 1 && random.below(2) === 0
      return isProof ? proofQuestion(random, seen, question) : question
    }),
  )
  const theirs = sortedFaults(await verdictsOf(asked, []))
  const words = new Set<string>()
  for (const [at, question] of asked.entries()) {
    const ours = ourWitnessed(question)
    expect(ours, JSON.stringify(question)).toEqual(theirs[at])
    words.add(ours.code ?? ours.witnessed?.verdict ?? 'in the log')
  }
  const codes = ['CONFIG_INVALID', 'MESSAGE_MALFORMED', 'SIGNATURE_INVALID', 'WITNESSES_MISSING']
  expect([...words].sort()).toEqual(
    expect.arrayContaining([...codes, 'contradicted', 'in the log', 'unwitnessed', 'witnessed']),
  )
})

/** Kinds of evidence: the share of witnesses' lines, and the altered ones among them (one in this many). */
const KINDS = {
  sound: { share: 1, badIn: Number.POSITIVE_INFINITY },
  unseen: { share: 0.2, badIn: Number.POSITIVE_INFINITY },
  altered: { share: 0.8, badIn: 30 },
}

/** Makes signers with runs; witnesses have seen some of their checkpoints. The lines are right or altered. */
function seenRuns(random: Random) {
  const parties = [generateKey(), generateKey()] as const
  const [messages, notes]: [Uint8Array[], Uint8Array[]] = [[], []]
  const kind = random.pick(['sound', 'unseen', 'altered'] as const)
  const isSound = kind !== 'altered'
  for (const party of parties) {
    const first = runByHand(random, party, NOON)
    const next = runByHand(random, party, NOON + 90_000, first)
    const isForked = !isSound && random.below(5) === 0
    const runs = isForked
      ? [first, next, runByHand(random, party, NOON, undefined, first.run)]
      : [first, next]
    for (const { log, notes: all } of runs) {
      messages.push(...log.filter(() => isSound || random.below(9) > 0).map(({ message }) => message))
      notes.push(...all.map((note, at) => witnessedNote(random, note, at, kind)))
    }
  }
  const options = { witnesses: VKEYS, ...(random.below(2) > 0 && { quorum: 1 + random.below(3) }) }
  return { keyring: parties.map(({ verifyingKey }) => verifyingKey), messages, notes, options }
}

/** Adds lines of witnesses, whose clocks advance with the numbers of the checkpoints. */
function witnessedNote(
  random: Random,
  message: Uint8Array,
  number: number,
  kind: keyof typeof KINDS,
): Uint8Array {
  const { share, badIn } = KINDS[kind]
  const note = noteOf(message)
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1)
  const lines = WITNESSES.filter(() => random.below(100) < share * 100).map((witness) => {
    const isBad = random.below(1_000) < 1_000 / badIn
    return witness.line(isBad ? `${text}\n` : text, NOON / 1000 + number * 100 + random.below(100))
  })
  return messageOf(note + lines.join(''))
}

type Evidence = ReturnType<typeof seenRuns>

async function reportOn({ messages, notes, keyring, options }: Evidence) {
  const found = new Completeness({ toleranceMs: TOLERANCE, ...options })
  for (const note of notes) found.addCheckpoint(await verifyCheckpoint(note, { keyring }))
  for (const one of messages) found.addMessage(one, await verifyBatch(one, { keyring }))
  const told = ({ signer, verdict, witnessed }: SignerReport) => ({
    signer,
    verdict,
    witnessed: witnessed && runsVerdict(witnessed),
  })
  const reports = found.report().filter(({ runs }) => runs.length > 0)
  return reports.map(told).sort((one, other) => (one.signer < other.signer ? -1 : 1))
}

it('a Python implementation and the SDK agree on which runs are witnessed, unwitnessed or contradicted', async () => {
  const random = new Random(49)
  const cases = Array.from({ length: 60 }, () => seenRuns(random))
  const asked = cases.map(({ notes, messages, options }) => ({
    report: {
      checkpoints: notes.map(base64),
      messages: messages.map(base64),
      tolerance: TOLERANCE,
      ...options,
    },
  }))
  const keys = cases.flatMap(({ keyring }) => keyring.map(toHex))
  const theirs = sortedFaults(await verdictsOf(asked, keys))
  const words = new Set<string>()
  for (const [at, one] of cases.entries()) {
    const reports = await reportOn(one)
    expect(reports, `case ${at}`).toEqual(
      theirs[at].reports.map(({ signer, verdict, witnessed }: SignerReport) => ({
        signer,
        verdict,
        witnessed,
      })),
    )
    for (const { verdict, witnessed } of reports) words.add(`${verdict}: ${witnessed?.verdict}`)
  }
  expect([...words]).toEqual(
    expect.arrayContaining([
      'complete: witnessed',
      'unknown: unwitnessed',
      'incomplete: contradicted',
      'incomplete: witnessed',
    ]),
  )
})

it('a Python implementation and the SDK agree on which packs are witnessed, unwitnessed or contradicted', async () => {
  const random = new Random(50)
  const cases = await Promise.all(Array.from({ length: 24 }, () => witnessedPack(random, seenRuns(random))))
  const asked = cases.map(({ bytes, options }) => ({ pack: base64(bytes), ...options }))
  const keys = cases.flatMap(({ keyring }) => keyring.map(toHex))
  const theirs = sortedFaults(await verdictsOf(asked, keys))
  const words = new Set<string>()
  for (const [at, { bytes, keyring, options }] of cases.entries()) {
    const { witnessed } = await verifyPack(bytes, { keyring, ...options })
    expect(witnessed && runsVerdict(witnessed), `case ${at}`).toEqual(theirs[at].pack.witnessed)
    words.add(witnessed?.verdict ?? '')
  }
  expect([...words].sort()).toEqual(['contradicted', 'unwitnessed', 'witnessed'])
})

/** Packs all evidence, about a log or in the author's words. */
async function witnessedPack(random: Random, { keyring, messages, notes, options }: Evidence) {
  const [note, isLog] = [random.pick(notes), random.below(2) === 0]
  const trust = { signers: keyring.map(toHex).map((key) => ({ name: key.slice(0, 8), keys: [key] })) }
  const { signer, run, size } = await verifyCheckpoint(note, { keyring })
  const about = isLog && size > 0 ? { log: { signer, run, from: 0, until: size } } : { query: 'all' }
  const { bytes } = await packed(messages, { about, trust, checkpoints: notes })
  return { bytes, keyring, options }
}
