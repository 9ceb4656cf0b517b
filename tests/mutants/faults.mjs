// The faults of meaning: meaning/*.yaml, a list for each folder of tests, mostly. A list says which test notices its faults,
// unless a fault says so itself.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('../..', import.meta.url))
const lists = fileURLToPath(new URL('meaning', import.meta.url))

/**
 * @typedef {object} Fault
 * @property {string} room the name of its list
 * @property {string} file whose source is changed: TypeScript below js/, or Rust below crate/
 * @property {string} from what is replaced: as it stands there, and there once
 * @property {string} to what stands there instead
 * @property {string} breaks what no longer holds, in a sentence
 * @property {readonly string[]} tests the files that notice it
 * @property {boolean} isInWorker whether it is in what a pool's workers run, which is bundled
 */

/** @returns {Fault[]} */
export function readFaults() {
  return readdirSync(lists).sort().flatMap(faultsIn)
}

/** @param {string} list @returns {Fault[]} */
function faultsIn(list) {
  const room = basename(list, '.yaml')
  const { tests: usual, faults } = parse(readFileSync(join(lists, list), 'utf8'))
  return faults.map(({ file, from, to, breaks, tests = usual, worker = false }) => ({
    ...{ room, file, from, to: to ?? '', breaks },
    ...{ tests: [tests].flat(), isInWorker: worker },
  }))
}

/**
 * The source with the fault in it.
 *
 * @param {Fault} fault
 * @throws an error that names the fault whose text is not there, or there more than once
 */
export function faulty({ room, file, from, to, breaks }) {
  const source = readFileSync(join(root, file), 'utf8')
  const places = source.split(from).length - 1
  const entry = `tests/mutants/meaning/${room}.yaml, "${breaks}"`
  if (places !== 1)
    throw new Error(`${entry}: expected its text once in ${file}, got it ${places} times: ${from}`)
  if (from === to) throw new Error(`${entry}: expected another text instead, got the same`)
  return source.replace(from, () => to)
}
