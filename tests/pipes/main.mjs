// Kills of the command while it receives messages from a topic, or signs the lines of a file: each accepted message
// is received, or kept as a dead letter.
//
//   node tests/pipes/main.mjs                  a few kills of each pipeline, in about a minute
//   node tests/pipes/main.mjs --full           100 kills of each
//   node tests/pipes/main.mjs --kills 20 --seed 7 --only 'annotate --resume'
//
// The table has a line for each pipeline: bundles or payloads accepted, received, kept as dead letters, and received
// more than once. The exit code is 1 if a message was lost, or if a file has a line that is no message.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { randomFrom } from '../damage/random.mjs'
import { annotateThroughKills } from './annotate.mjs'
import { archiveOf, storeOf, topicThroughKills } from './topic.mjs'

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    kills: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
const kills = Number(values.kills ?? (values.full ? 100 : 6))

/** @typedef {import('../damage/random.mjs').Random} Random */
/** @typedef {{ accepted: number, received: number, told: number, repeated: number, faults: string[] }} Counts */
/** @type {Readonly<Record<string, (kills: number, random: Random, folder: string) => Promise<Counts>>>} */
const PIPELINES = {
  'listen --raw --out': (...given) => topicThroughKills(archiveOf, ...given),
  'store ingest --url': (...given) => topicThroughKills(storeOf, ...given),
  'annotate --resume --out': annotateThroughKills,
}

/** @type {Record<string, object>} */
const rows = {}
let failures = 0
for (const [name, pipeline] of Object.entries(PIPELINES)) {
  if (values.only && name !== values.only) continue
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-pipes-'))
  const began = performance.now()
  try {
    const { faults, ...counts } = await pipeline(kills, randomFrom(Number(values.seed)), folder)
    const lost = counts.accepted - counts.received - counts.told
    if (lost !== 0) faults.push(`${lost} of ${counts.accepted} lost`)
    for (const fault of faults) console.log(`✗ ${name} (--seed ${values.seed}): ${fault}`)
    failures += faults.length
    rows[name] = { kills, ...counts, lost, seconds: Math.round((performance.now() - began) / 1000) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
console.table(rows)
process.exitCode = failures > 0 ? 1 : 0
