// Compares `alvarium --help` with a Node.js process that does nothing:
//
// node bench/cold/help.mjs [rounds]
//
// Shows the medians of wall-clock time and of CPU time; other load changes CPU time less. Runs the published
// form in package/. The two programs take turns.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './median.mjs'

const rounds = Number(process.argv[2] ?? '15')
const command = fileURLToPath(new URL('../../package/command/dist/cli/main.js', import.meta.url))
const PROGRAMS = { nothing: ['--eval', '0'], help: [command, '--help'] }
/** Code that makes a program print its CPU time at exit. */
const SAYS = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process.stderr.write(String((user + system) / 1000))
})`
const asked = ['--import', `data:text/javascript,${encodeURIComponent(SAYS)}`]

const times = { nothing: [], help: [] }
// Discard the first round, which fills caches.
for (let round = -1; round < rounds; round++) {
  for (const [name, args] of Object.entries(PROGRAMS)) {
    const took = await started(args)
    if (round >= 0) times[name].push(took)
  }
}
console.log('| ms | a process that does nothing | alvarium --help over it |')
console.log('|---|---|---|')
for (const [of, kind] of Object.entries({ clock: 'by the clock', cpu: 'CPU' })) {
  const [nothing, help] = [times.nothing, times.help].map((all) => median(all.map((one) => one[of])) ?? 0)
  console.log(`| ${kind} | ${nothing.toFixed(1)} | ${(help - nothing).toFixed(1)} |`)
}

/** @param {string[]} args */
async function started(args) {
  const since = performance.now()
  const { stderr } = await promisify(execFile)(process.execPath, [...asked, ...args])
  return { clock: performance.now() - since, cpu: Number(stderr) }
}
