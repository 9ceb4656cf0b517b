// @slow: it runs another verifier, and two browsers

import { writeFileSync } from 'node:fs'
import { keyIdOf, toHex } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'
import { readTrust } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { base64 } from '../support/bytes.js'
import { type ArchivedMessage, ArchiveParts, NOON } from '../support/mutated-archives.js'
import { mutatedPack } from '../support/mutated-packs.js'
import { packed, type signer } from '../support/packs.js'
import { PackParts } from '../support/random-packs.js'
import { inBrowser, inNode, inPython, type VerdictSource } from './judges.js'
import type { Question, ReaderPolicy } from './our-verdicts.js'

/*
 * The number of cases: `VERDICTS=20000 VERDICT_SEED=7` runs that many, as `npm run attack -- --only verdicts` does.
 * Each round makes new packs, archives and exports. `VERDICT_FINDINGS` names a file for disagreements.
 */
const COUNT = Number(process.env['VERDICTS'] ?? 100)
const FIRST_ROUND = Number(process.env['VERDICT_SEED'] ?? 0)
/** Per round: packs, changes of each, and archives and exports. */
const [PACKS, CHANGES, ARCHIVES] = COUNT < 200 ? [10, 5, 25] : [20, 5, 50]
const EACH_ROUND = PACKS * CHANGES + 2 * ARCHIVES
const ROUNDS = Math.ceil(COUNT / EACH_ROUND)

interface Case {
  readonly kind: 'pack' | 'archive' | 'store export'
  readonly question: Question
}

it(
  'mutated packs, archives and exports have the same verdict in Node, in browsers and in Python',
  async ({ task }) => {
    const [python, ...browsers] = [inPython(), await inBrowser('chromium'), await inBrowser('firefox')]
    const counts = new Map<string, number>()
    const findings: Finding[] = []
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const random = new Random(FIRST_ROUND + round * 65_536, 44)
        const cases = [...(await packsOf(random)), ...(await archivesOf(random))]
        findings.push(...(await differencesIn(cases, [python, ...browsers], counts, round)))
      }
    } finally {
      for (const one of [python, ...browsers]) await one.close()
    }
    if (process.env['VERDICT_FINDINGS'] !== undefined)
      writeFileSync(process.env['VERDICT_FINDINGS'], JSON.stringify(findings))
    Object.assign(task.meta, { counts: Object.fromEntries([...counts].sort()) })
    expect(findings.slice(0, 3)).toEqual([])
    expect(shareOf(counts, /^pack: [A-Z_]+$/)).toBeLessThan(1 / 3)
    // Some words occur only among thousands of packs.
    if (COUNT < 10_000) return
    for (const word of WORDS)
      expect(
        [...counts.keys()].some((one) => one.endsWith(word)),
        word,
      ).toBe(true)
  },
  600_000 * ROUNDS,
)

/** Words of verdicts that must occur among the cases. */
const WORDS = [
  ...['whole by log', 'each run whole by log', 'whole by seal', 'whole by proofs', 'not shown'],
  ...['complete', 'incomplete', 'unknown', 'logged', 'received', 'signed'],
]

function shareOf(counts: ReadonlyMap<string, number>, kind: RegExp): number {
  const sum = (all: readonly (readonly [string, number])[]) =>
    all.reduce((total, [, count]) => total + count, 0)
  const packs = [...counts].filter(([name]) => name === 'packs')
  return sum([...counts].filter(([name]) => kind.test(name))) / sum(packs)
}

/** Evidence on which two verifiers disagree. */
interface Finding {
  readonly place: string
  readonly expected: string
  readonly actual: string
  readonly question: Question
}

async function differencesIn(
  cases: readonly Case[],
  others: readonly VerdictSource[],
  counts: Map<string, number>,
  round: number,
): Promise<Finding[]> {
  const questions = cases.map(({ question }) => question)
  const [own = [], ...verdicts] = await Promise.all([inNode, ...others].map((one) => one.verdicts(questions)))
  return cases.flatMap(({ kind, question }, at) => {
    const expected = own[at] as string
    for (const word of [`${kind}s`, ...wordsOf(kind, expected)]) counts.set(word, (counts.get(word) ?? 0) + 1)
    return others.flatMap(({ name }, which) => {
      const actual = verdicts[which]?.[at] as string
      return actual === expected
        ? []
        : [{ place: `${name}, round ${round}, ${kind} ${at}`, expected, actual, question }]
    })
  })
}

function wordsOf(kind: string, verdict: string): string[] {
  if (/^[A-Z_]+$/.test(verdict)) return [`${kind}: ${verdict}`]
  const words = [...verdict.matchAll(/"(?:word|verdict|time)":"([a-z ]+)"/g)].map(([, word]) => word)
  const codes = kind === 'pack' ? [] : [...verdict.matchAll(/"([A-Z]+_[A-Z_]+)"/g)].map(([, code]) => code)
  return [...new Set([...words, ...codes])].map((word) => `${kind}: ${word}`)
}

type Signer = ReturnType<typeof signer>

/** Returns a reader that trusts keys alone, or by a policy that ends and revokes some. */
function readerOf(random: Random, trusted: readonly Signer[], policy: ReaderPolicy | undefined) {
  const keys = Object.fromEntries(trusted.map(({ keyId, verifyingKey }) => [keyId, toHex(verifyingKey)]))
  return { keys, ...(policy && random.below(5) > 0 && { policy }) }
}

function policyOf(
  random: Random,
  trusted: readonly Signer[],
  leases: readonly { readonly issuer: string; readonly serial: string }[],
  times: readonly string[],
): ReaderPolicy {
  const revoked = leases.filter(() => random.below(5) === 0)
  const ending = trusted.filter(() => random.below(3) === 0)
  return {
    confirming: trusted.map(({ keyId }) => keyId).filter(() => random.below(4) > 0),
    ends: Object.fromEntries(ending.map(({ keyId }) => [keyId, random.pick(times)])),
    revoked: Object.fromEntries(revoked.map(({ serial }) => [serial, random.pick(times)])),
    issuers: Object.fromEntries(leases.map(({ issuer, serial }) => [serial, issuer])),
    late: random.pick([0, 60_000]),
  }
}

const HOURS = [2, 4, 6, 12].map((hour) => `2026-01-01T${String(hour).padStart(2, '0')}:00:00Z`)

async function packsOf(random: Random): Promise<Case[]> {
  const parts = await PackParts.made(random)
  const { trusted } = parts
  const signers = trusted.map(({ keyId, verifyingKey }) => ({ name: keyId, keys: [toHex(verifyingKey)] }))
  const made: Uint8Array[] = []
  while (made.length < PACKS) {
    const trust = { signers: signers.map((one) => ({ ...one, confirms: random.below(2) === 0 })) }
    const [messages, options] = parts.given()
    made.push((await packed(messages, { ...options, trust })).bytes)
  }
  return made.flatMap((pack) => {
    const reader = readerOf(random, trusted, policyOf(random, trusted, parts.serials, HOURS))
    return Array.from({ length: CHANGES }, (): Case => {
      const thief = { trusted, subject: parts.leased }
      const mutated = mutatedPack(random, pack, random.pick(made), thief)
      return { kind: 'pack', question: { ...reader, pack: base64(mutated.pack) } }
    })
  })
}

const minutesAfterNoon = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString()

async function archivesOf(random: Random): Promise<Case[]> {
  const parts = await ArchiveParts.make(random)
  const { trusted, serials } = parts
  const exported = await exportOf(parts)
  const times = [1, 3, 5, 20].map(minutesAfterNoon)
  const cases: Case[] = []
  for (let left = ARCHIVES; left > 0; left--) {
    const asked = () => readerOf(random, trusted, policyOf(random, trusted, serials, times))
    const archive = parts.mutated(parts.archive(), exported)
    cases.push({ kind: 'archive', question: { ...asked(), lines: archive.map(lineOf) } })
    cases.push({
      kind: 'store export',
      question: { ...asked(), lines: parts.mutated(exported, archive).map(lineOf) },
    })
  }
  return cases
}

function lineOf({ message, receivedAt }: ArchivedMessage) {
  const received = receivedAt === undefined ? {} : { received: new Date(receivedAt).toISOString() }
  return { message: base64(message), ...received }
}

async function exportOf(parts: ArchiveParts): Promise<ArchivedMessage[]> {
  const signers = parts.trusted.map(({ verifyingKey }) => ({
    name: keyIdOf(verifyingKey),
    keys: [toHex(verifyingKey)],
  }))
  const keyring = await readTrust({ signers })
  const store = await openStore('memory:', { keyring })
  try {
    await store.ingest(parts.stored())
    const exported: ArchivedMessage[] = []
    for await (const { message, receivedAt } of store.export()) exported.push({ message, receivedAt })
    return exported
  } finally {
    await store.close()
    await keyring.close()
  }
}
