// Measures sets by the number of payload keys: time, memory and the sizes of proofs.
//
//   npm run build && node bench/sets/main.mjs            10,000 and 100,000 keys
//   npm run build && node bench/sets/main.mjs --full     also 1,000,000 and 10,000,000 keys
//   node bench/sets/main.mjs --full --save               also writes figures.json and the guide's chart

import { fork } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { draw, FIGURES } from './draw.mjs'

const flag = /** @type {const} */ ({ type: 'boolean', default: false })
const { values } = parseArgs({ options: { full: flag, save: flag } })
const COUNTS = values.full ? [10_000, 100_000, 1_000_000, 10_000_000] : [10_000, 100_000]

const HEAD = {
  count: 'keys',
  sealS: 'seal, s of CPU',
  readS: 'read list, s of CPU',
  peakMib: 'memory, MiB',
  bytesPerKey: 'bytes a key',
  messageBytes: 'message, bytes',
  memberBytes: 'member, bytes',
  absentBytes: 'absent, bytes',
  proveMicros: 'prove, µs',
  verifyMicros: 'verify, µs',
}
const WIDTH = 20
/** Number of characters of the longest bar. */
const BAR = 40

const rows = []
for (const count of COUNTS) rows.push(await measured(count))
console.log(
  Object.values(HEAD)
    .map((name) => name.padStart(WIDTH))
    .join(''),
)
for (const row of rows)
  console.log(
    Object.keys(HEAD)
      .map((name) => shown(row[name]).padStart(WIDTH))
      .join(''),
  )
for (const name of ['sealS', 'peakMib', 'memberBytes', 'absentBytes']) console.log(`\n${chart(name)}`)
if (values.save) await save()

async function save() {
  const date = new Date().toISOString().slice(0, 10)
  await writeFile(FIGURES, `${JSON.stringify({ date, rows }, undefined, 2)}\n`)
  await draw()
}

/** Measures in a separate process, so that the memory of earlier sets does not count. */
function measured(count) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('one.mjs', import.meta.url)), [`${count}`])
    child.once('message', resolve)
    child.once('exit', (code) =>
      reject(new Error(`expected figures for ${count} keys, got exit code ${code}`)),
    )
  })
}

function chart(name) {
  const most = Math.max(...rows.map((row) => row[name]))
  const bars = rows.map((row) => {
    const bar = '█'.repeat(Math.max(1, Math.round((BAR * row[name]) / most)))
    return `${shown(row.count).padStart(12)}  ${bar} ${shown(row[name])}`
  })
  return [HEAD[name], ...bars].join('\n')
}

function shown(number) {
  return number.toLocaleString('en-US', { maximumFractionDigits: number < 10 ? 2 : 0 })
}
