// Measures the first call in a cold process, as in a new instance of a serverless function:
//
// node bench/cold/main.mjs [runs]
//
// The time runs from the first import until the first message is signed or verified. Each run is a new
// process. The entry points take turns, so that other load on the machine affects all of them.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundled } from './bundled.mjs'
import { madeMessage } from './message.mjs'

const runs = Number(process.argv[2] ?? 20)
const first = fileURLToPath(new URL('first.mjs', import.meta.url))
const entries = ['alvarium-sdk', 'alvarium-sdk/verify']

const folder = await mkdtemp(join(tmpdir(), 'alvarium-cold-'))
const ways = entries.map((entry) => ({ name: entry, module: entry }))
for (const entry of entries) ways.push({ name: `${entry}, bundled`, module: await bundled(entry, folder) })

const message = JSON.stringify(await madeMessage())
const measured = new Map(ways.map(({ name }) => [name, []]))
for (let run = 0; run < runs; run++) {
  for (const { name, module } of ways) measured.get(name).push(await inFresh(module))
}
await rm(folder, { recursive: true })

console.log('| entry | import ms | first call ms | both ms | CPU ms of both | next call ms |')
console.log('|---|---|---|---|---|---|')
for (const [name, all] of measured) {
  const medians = ['imported', 'called', 'both', 'cpu', 'next'].map((name) =>
    median(all.map((one) => one[name])),
  )
  console.log(`| ${name} | ${medians.map((ms) => ms.toFixed(1)).join(' | ')} |`)
}

async function inFresh(module) {
  const { stdout } = await promisify(execFile)(process.execPath, [first, module, message])
  return JSON.parse(stdout)
}

/** @param {number[]} values */
function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}
