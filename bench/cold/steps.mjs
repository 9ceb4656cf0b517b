// Shows the CPU time of each step up to a first signature:
//
// node bench/cold/steps.mjs [rounds] [program …]
//
// Runs processes of Node.js and of other given programs, such as Bun, with the published form in package/.
// Shows medians of processes that take turns.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './median.mjs'

const [, , rounds = '15', ...others] = process.argv
const isAsked = rounds === 'once'
if (isAsked) console.log(JSON.stringify(await steps()))
else await show([process.execPath, ...others])

/** @returns {Promise<Record<string, number>>} milliseconds */
async function steps() {
  const took = {}
  let before = 0
  const step = (name) => {
    const { user, system } = process.cpuUsage()
    took[name] = (user + system) / 1000 - before
    before += took[name]
  }
  step('the process starts')
  const sdk = await import('../../package/sdk/dist/index.js')
  step('import: read and parse')
  sdk.keyOf(new Uint8Array(16))
  step('core.wasm: read, compile, instantiate')
  const { signingKey } = sdk.generateKey()
  step('a key pair, with its tables')
  const open = await sdk.openSdk({ signingKey, annotators: [sdk.source()], stream: sdk.memory() })
  step('openSdk')
  await open.create(new Uint8Array(100))
  step('create, with the first signature')
  await open.create(new Uint8Array(100))
  step('create again')
  await open.close()
  return took
}

/** @param {readonly string[]} programs */
async function show(programs) {
  const all = programs.map(() => [])
  for (let round = -1; round < Number(rounds); round++) {
    for (const [at, program] of programs.entries()) {
      const { stdout } = await promisify(execFile)(program, [fileURLToPath(import.meta.url), 'once'])
      // Discard the first round, which fills caches.
      if (round >= 0) all[at].push(JSON.parse(stdout))
    }
  }
  console.log(`| ms of CPU | ${programs.map((program) => program.replace(/^.*\//, '')).join(' | ')} |`)
  console.log(`|---|${programs.map(() => '---|').join('')}`)
  for (const name of Object.keys(all[0]?.[0] ?? {})) {
    const cells = all.map((runs) => (median(runs.map((one) => one[name])) ?? 0).toFixed(1))
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
}
