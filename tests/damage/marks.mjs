// Random sequences of openings of an outbox, with a damaged or missing mark and lost messages in between.
// Each accepted message must be delivered or reported to be gone, each time.
//
//   node tests/damage/marks.mjs                some rounds, in a few seconds
//   node tests/damage/marks.mjs --full         100 rounds of each kind
//   node tests/damage/marks.mjs --count 50 --seed 7 --only 'the mark is damaged'
//   node tests/damage/marks.mjs --seed 7 --only 'the mark is damaged' --round 3    only that round
//
// The table has a line for each kind: messages accepted, delivered, reported to be gone, redelivered. Each failure is shown
// with its seed. Exit code 1: there is a failure.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AlvariumError } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { randomFrom } from './random.mjs'
import { segmentsIn } from './segments.mjs'

/** @typedef {import('./random.mjs').Random} Random */

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    round: { type: 'string' },
  },
})
const count = Number(values.count ?? (values.full ? 100 : 8))
const MARKS = ['mark', 'mark-copy']

/** Faults of a file of a mark. @type {readonly ((path: string, random: Random) => void)[]} */
const FAULTS = [
  (path) => rmSync(path, { force: true }),
  (path) => writeFileSync(path, ''),
  (path, random) =>
    writeFileSync(
      path,
      Uint8Array.from({ length: 1 + random(300) }, () => random(256)),
    ),
  (path, random) => {
    const bytes = readFileSync(path)
    // Bytes after a mark belong to an older, longer one, and have no meaning.
    const length = bytes.length < 12 ? bytes.length : Math.min(bytes.length, bytes.readUInt32LE(8))
    const at = random(length + 1)
    if (at >= bytes.length) return
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
    writeFileSync(path, bytes)
  },
]

/** @param {string} folder @param {Random} random @param {readonly string[]} names */
function faultyMarks(folder, random, names) {
  const fault = FAULTS[random(FAULTS.length)]
  const there = readdirSync(folder)
  for (const name of names) if (there.includes(name)) fault?.(join(folder, name), random)
}

/** Removes one of the files of records, or all of them. @param {string} folder @param {Random} random */
function withoutRecords(folder, random) {
  const names = segmentsIn(folder)
  const one = names[random(names.length)]
  for (const name of names) if (random(2) === 0 || name === one) rmSync(join(folder, name))
}

/**
 * Faults between two openings.
 *
 * @typedef {object} Kind
 * @property {(folder: string, random: Random) => void} fault
 * @property {true} [isUncounted] missing messages may be reported without a number
 */
/** @type {Readonly<Record<string, Kind>>} */
const KINDS = {
  'nothing is damaged': { fault: () => {} },
  'the mark is damaged': {
    fault: (folder, random) => faultyMarks(folder, random, [MARKS[random(2)] ?? '']),
  },
  'the mark is damaged, and messages are lost': {
    fault: (folder, random) => {
      faultyMarks(folder, random, [MARKS[random(2)] ?? ''])
      withoutRecords(folder, random)
    },
  },
  'the mark and its copy are damaged': {
    fault: (folder, random) => faultyMarks(folder, random, MARKS),
  },
  'the mark and its copy are damaged, and messages are lost': {
    isUncounted: true,
    fault: (folder, random) => {
      faultyMarks(folder, random, MARKS)
      withoutRecords(folder, random)
    },
  },
}
const kinds = Object.entries(KINDS).filter(([name]) => !values.only || name === values.only)

/**
 * Connects an outbox. On a busy machine, its predecessor may still be closing.
 *
 * @param {import('alvarium-sdk/outbox').Outbox} box
 */
async function connect(box) {
  for (;;) {
    try {
      return await box.connect()
    } catch (error) {
      if (!(error instanceof AlvariumError && error.code === 'STORE_LOCKED')) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const absence = new AlvariumError('STREAM_UNREACHABLE', 'away')

/** The counts of a round's messages. */
class Life {
  accepted = 0
  reported = 0
  repeats = 0
  isTold = false
  /** @type {Set<string>} */
  delivered = new Set()
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder
  }

  /**
   * Opens the outbox, stores messages, delivers at most `takes` of them, and closes it.
   *
   * @param {{ stores: number, takes: number }} session
   */
  async open({ stores, takes }) {
    let left = takes
    const publish = async (/** @type {Uint8Array} */ message) => {
      if (left-- <= 0) throw absence
      const text = new TextDecoder().decode(message)
      if (this.delivered.has(text)) this.repeats++
      this.delivered.add(text)
    }
    const box = outbox({ stream: { publish }, store: this.folder, closeTimeoutMs: 20, maxInFlight: 1 })
    box.addEventListener('damaged', ({ count, numbers }) => {
      this.reported += count - this.#deliveredOf(numbers)
      this.isTold = true
    })
    await connect(box)
    for (let number = 0; number < stores; number++) {
      await box.publish(new TextEncoder().encode(`message ${++this.accepted}`.padEnd(200)))
    }
    const end = performance.now() + 20_000
    while (left > 0 && box.stored.messages > 0 && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 2))
    await box.close()
  }

  /**
   * Counts the delivered messages in these ranges. A busy machine may close a store before it marks the last delivery.
   *
   * @param {readonly (readonly [number, number])[]} ranges
   */
  #deliveredOf(ranges) {
    const numbers = [...this.delivered].map((text) => Number(text.trim().split(' ')[1]))
    return numbers.filter((number) => ranges.some(([first, last]) => first <= number && number <= last))
      .length
  }
}

/** @param {Kind} kind @param {Random} random @param {string} folder */
async function round(kind, random, folder) {
  const life = new Life(folder)
  const sessions = 2 + random(4)
  for (let session = 0; session < sessions; session++) {
    await life.open({ stores: random(30), takes: random(2) * random(60) })
    if (random(2) === 0) kind.fault(folder, random)
  }
  await life.open({ stores: 1, takes: Number.POSITIVE_INFINITY })
  const faults = []
  const missing = life.accepted - life.delivered.size
  const isCounted = missing === life.reported || (kind.isUncounted && missing > life.reported && life.isTold)
  if (!isCounted) faults.push(`${missing} of ${life.accepted} not delivered, and ${life.reported} reported`)
  const before = life.reported
  await life.open({ stores: 0, takes: Number.POSITIVE_INFINITY })
  if (life.reported !== before) faults.push('reported once more at the next opening')
  return { life, faults }
}

const root = mkdtempSync(join(tmpdir(), 'alvarium-marks-'))
const rows = new Map(
  kinds.map(([name]) => [
    name,
    { rounds: 0, accepted: 0, delivered: 0, reported: 0, repeats: 0, failures: 0 },
  ]),
)
const began = performance.now()
try {
  for (const [name, kind] of kinds) {
    const at = Object.keys(KINDS).indexOf(name)
    const row = rows.get(name)
    const first = Number(values.round ?? 0)
    for (let number = first; row && number < (values.round ? first + 1 : count); number++) {
      const seed = Number(values.seed) * 100_000 + at * 1_000 + number
      const folder = mkdtempSync(join(root, 'round-'))
      const { life, faults } = await round(kind, randomFrom(seed), folder)
      row.rounds++
      row.accepted += life.accepted
      row.delivered += life.delivered.size
      row.reported += life.reported
      row.repeats += life.repeats
      rmSync(folder, { recursive: true, force: true })
      if (faults.length === 0) continue
      row.failures++
      console.log(`✗ ${name}, round ${number} (--seed ${values.seed}): ${faults.join(', ')}`)
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
console.table(Object.fromEntries(rows))
const failures = [...rows.values()].reduce((sum, row) => sum + row.failures, 0)
console.log(`${Math.round((performance.now() - began) / 1000)} s, ${failures} failures`)
process.exitCode = failures > 0 ? 1 : 0
