// Compares the speed of this build with that of another clone:
//
// node bench/builds.mjs <folder> [--processes 12] [--blocks 10] [--only verify]
//
// Each process runs both builds in alternating blocks, so that other load on the machine affects both.
// Medians of different processes differ by up to a tenth, partly because of the order in which the builds are
// loaded. Each process therefore counts as one measurement, and every second process reverses the order. The
// table shows the CPU time of this build divided by the CPU time of the other clone. Each ratio is the median
// of all processes, with its 95 % interval.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { needMosquitto } from './broker.mjs'
import { medianOf } from './suites/blocks.mjs'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    processes: { type: 'string', default: '12' },
    blocks: { type: 'string', default: '10' },
    only: { type: 'string' },
  },
})
const [folder] = positionals
if (folder === undefined) throw new RangeError('folder: expected that of another clone, built, got none')
if ('wire'.startsWith(values.only ?? '')) needMosquitto()
const folders = { there: resolve(folder), here: fileURLToPath(new URL('..', import.meta.url)) }
const { only, blocks, processes } = {
  ...values,
  blocks: Number(values.blocks),
  processes: Number(values.processes),
}

/** @type {Map<string, number[]>} */
const ratios = new Map()
for (let done = 0; done < processes; done++) {
  const medians = await measured(done % 2 === 0 ? 'there' : 'here')
  for (const [name, median] of Object.entries(medians))
    ratios.set(name, [...(ratios.get(name) ?? []), median])
}
console.log(`CPU time here ÷ in ${folder}: ${processes} processes, ${blocks} blocks of each build in each`)
console.log(`${''.padEnd(16)}   median    from       to  (95 %)`)
for (const [name, all] of ratios) {
  const { low, median, high } = medianOf(all)
  console.log(name.padEnd(16) + [median, low, high].map((value) => value.toFixed(3).padStart(9)).join(''))
}

/**
 * Measures in one child process.
 *
 * @param {'there' | 'here'} first the build that is loaded first
 * @returns {Promise<Record<string, number>>}
 */
async function measured(first) {
  const asked = JSON.stringify({ folders, first, blocks, only })
  const child = fork(fileURLToPath(new URL('builds-process.mjs', import.meta.url)), [asked])
  const ended = once(child, 'exit')
  const told = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
  await ended
  if (told === undefined) throw new Error('a process ended without a measurement')
  return told[0]
}
