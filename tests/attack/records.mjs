// Attacks on files of records. One record in a thousand is altered, removed, added or moved; exactly these must be
// reported. Other files are made to slow down the comparison; the number of missing records must still be right, within
// the time.

import { generateKey, Keyring, memory, openSdk, source } from 'alvarium-sdk'
import { check, readRecords } from 'alvarium-sdk/records'
import { alignSteps } from '../../dist/evidence/records/align.js'
import { runSync } from '../../dist/foundation/base/time/turns.js'
import { Random } from './random.mjs'
import { progress, Tally } from './tally.mjs'
import { timedNow } from './timed.mjs'

const EDITS = ['altered', 'missing', 'extra', 'moved']
/** Records per edit, so that edits are never adjacent. */
const APART = 1000
const TOGETHER = 4096
const encoder = new TextEncoder()

/** @param {{ seed: number, count: number }} options - the number of records */
export async function records({ seed, count }) {
  const [random, tally] = [new Random(seed, 11), new Tally()]
  const done = progress(tally, count)
  await edited(random, tally, count)
  for (const [name, files] of Object.entries(HOSTILE)) hostile(name, files(count, random), tally)
  done()
  return tally.report
}

async function edited(random, tally, count) {
  const rows = Array.from({ length: count }, (_, at) => rowOf(at, random))
  const { messages, keyring } = await signed(rows)
  const { after, expected } = withEdits(rows, random)
  const file = encoder.encode(`\ufeffid,text,celsius\r\n${after.map((row) => `${row}\r\n`).join('')}`)
  const found = async () => {
    const start = performance.now()
    const checking = check(readRecords(inPieces(file), { format: 'csv' }), messages, { keyring })
    const findings = []
    for await (const finding of checking) findings.push(nameOf(finding, after))
    tally.slowest = Math.max(tally.slowest, performance.now() - start)
    return findings.sort()
  }
  const value = await found()
  tally.count('files with one edit in a thousand records')
  tally.verdicts += expected.length
  for (const kind of expected) tally.outcome('edits', kind.split(' ')[0])
  if (JSON.stringify(value) !== JSON.stringify(expected.sort())) {
    const [missed, wrong] = [without(expected, value), without(value, expected)]
    tally.disagreement('edits', { missed: missed.slice(0, 5), wrong: wrong.slice(0, 5) })
  }
}

const without = (these, those) => these.filter((one) => !new Set(those).has(one))

/** Returns a row. Some have two lines, and one in twenty equals all others of its kind. */
function rowOf(at, random) {
  if (random.below(20) === 0) return '0,"nothing",0'
  const text = random.below(10) === 0 ? '"two\r\nlines, ""quoted"""' : `row ${at}`
  return `${at},${text},${random.below(1000) / 10}`
}

async function signed(rows) {
  const { signingKey, verifyingKey } = generateKey()
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  for (let at = 0; at < rows.length; at += TOGETHER) {
    await sdk.createMany(rows.slice(at, at + TOGETHER).map((row) => encoder.encode(row)))
  }
  await sdk.close()
  return { messages: stream.messages, keyring: new Keyring([verifyingKey]) }
}

/** Edits from the end, so that earlier positions stay valid. Moved rows go to the beginning or the end. */
function withEdits(rows, random) {
  const [after, expected, first, last] = [[...rows], [], [], []]
  for (let from = rows.length - (rows.length % APART) - APART; from >= 0; from -= APART) {
    const at = from + 100 + random.below(APART - 200)
    // Equal rows are indistinguishable.
    if (rows[at].startsWith('0,')) continue
    const kind = random.pick(EDITS)
    const [row] = kind === 'extra' ? [`${at},new,0`] : after.splice(at, 1)
    if (kind === 'extra') after.splice(at, 0, row)
    if (kind === 'altered') after.splice(at, 0, `${row}9`)
    if (kind === 'moved') random.pick([first, last]).push(row)
    expected.push(`${kind} ${kind === 'missing' ? at + 1 : kind === 'altered' ? `${row}9` : row}`)
  }
  return { after: [...first, ...after, ...last], expected }
}

/** Returns the name of a finding: by the current record, or by the former position if it is missing. */
function nameOf(finding, after) {
  if (finding.kind === 'missing') return `missing ${finding.signed.number}`
  return `${finding.kind} ${finding.record ? after[finding.record.number - 1] : ''}`
}

function* inPieces(bytes) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

const sequence = (count, of) => Array.from({ length: count }, (_, at) => of(at))

/** Pairs of the signed and the current records. */
const HOSTILE = {
  'all alike, half of them': (count) => [sequence(count, () => 0), sequence(count >> 1, () => 0)],
  'two kinds, mixed anew': (count, random) => [0, 1].map(() => sequence(count, () => random.below(2))),
  'two kinds, half and half, in turn': (count) => [
    sequence(count, (at) => (at < count >> 1 ? 0 : 1)),
    sequence(count, (at) => at % 2),
  ],
  'a hundred kinds, backwards': (count) => [
    sequence(count, (at) => at % 100),
    sequence(count, (at) => 99 - (at % 100)),
  ],
  backwards: (count) => [sequence(count, (at) => at), sequence(count, (at) => count - 1 - at)],
  'each twice, and once': (count) => [sequence(count, (at) => at >> 1), sequence(count >> 1, (at) => at)],
  'with many small parts that are alike': (count, random) => [
    sequence(count, (at) => (at % 64 === 0 ? 2 + at : random.below(2))),
    sequence(count, (at) => (at % 64 === 0 ? 2 + at : random.below(2))),
  ],
}

function hostile(name, [first, second], tally) {
  const numbers = new Map()
  for (const one of first) if (!numbers.has(one)) numbers.set(one, numbers.size)
  const signed = first.map((one) => numbers.get(one))
  const found = second.map((one) => numbers.get(one) ?? -1)
  const { partners } = timedNow(() => runSync(alignSteps(signed, found)), tally)
  tally.count(name)
  tally.verdicts++
  const places = partners.filter((place) => place >= 0)
  const isRight = partners.every((place, at) => place < 0 || signed[place] === found[at])
  if (!isRight || new Set(places).size !== places.length || places.length !== shared(signed, found)) {
    tally.disagreement(name, { paired: places.length, shared: shared(signed, found) })
  }
}

function shared(first, second) {
  const counts = new Int32Array(first.length)
  for (const one of first) counts[one]++
  return second.filter((one) => one >= 0 && counts[one]-- > 0).length
}
