// The pipeline of a file whose lines are annotated: killed again and again, and resumed each time.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateKey, keyOf, toHex } from 'alvarium-sdk'
import { runAndKill, start } from './command.mjs'

const utf8 = new TextEncoder()
/** Lines of the file for each kill. */
const LINES = 2_000
const MAX_RUN_MS = 1_600

/**
 * @param {number} kills
 * @param {import('../damage/random.mjs').Random} random
 * @param {string} folder
 */
export async function annotateThroughKills(kills, random, folder) {
  const at = (/** @type {string} */ name) => join(folder, name)
  writeFileSync(at('private.key'), toHex(generateKey().signingKey), { mode: 0o600 })
  const lines = Array.from({ length: LINES * kills }, (_, number) => `{"n":${number}}`)
  writeFileSync(at('in.ndjson'), `${lines.join('\n')}\n`)
  const where = ['--resume', at('done'), '--out', at('out.ndjson')]
  const args = ['annotate', at('in.ndjson'), '--key', at('private.key'), ...where]
  /** @type {string[]} */
  const faults = []
  for (let kill = 0; kill < kills; kill++) {
    const { code, said } = await runAndKill(args, random, at('out.ndjson'), MAX_RUN_MS)
    if (code === 2) faults.push(`run ${kill} was refused: ${said}`)
  }
  const { code, said } = await start(args).ended
  if (code !== 0) faults.push(`the last run ended with ${code}: ${said}`)
  const received = new Map()
  for (const [number, line] of readFileSync(at('out.ndjson'), 'utf8').split('\n').slice(0, -1).entries()) {
    try {
      const { key } = JSON.parse(line).content
      received.set(key, (received.get(key) ?? 0) + 1)
    } catch {
      faults.push(`line ${number + 1} is no message`)
    }
  }
  const messages = [...received.values()].reduce((sum, count) => sum + count, 0)
  return {
    accepted: lines.length,
    received: lines.filter((line) => received.has(keyOf(utf8.encode(line)))).length,
    told: 0,
    repeated: messages - received.size,
    faults,
  }
}
