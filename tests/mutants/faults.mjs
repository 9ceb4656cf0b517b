// The faults of meaning: meaning/*.yaml, and fresh/*.yaml of someone who has not seen the tests. Mostly there is a list for each
// folder of tests. A list says which test notices its faults, unless a fault says so itself. tests/README.md explains the format.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import leven from 'leven'
import { parse } from 'yaml'
import { declarationsOf } from './declarations.mjs'
import { exactMatches, renamed, renamedMatches } from './text.mjs'

/** @param {string} folder @param {string} [list] */
const pathOf = (folder, list = '.') => join(fileURLToPath(new URL(folder, import.meta.url)), list)

/**
 * @typedef {object} Fault
 * @property {string} room the name of its list
 * @property {string} in the function that is changed: a name, with its class or file if there are others (`Class.method`), or a file for what is in no function (`pool.ts`)
 * @property {string} find what is replaced there: there once, however it is formatted
 * @property {string} replace what stands there instead
 * @property {string} breaks what no longer holds, in a sentence
 * @property {readonly string[]} tests the files that notice it
 * @property {boolean} isInWorker whether it is in what a pool's workers run, which is bundled
 *
 * @typedef {import('./declarations.mjs').Declaration} Declaration
 *
 * @typedef {object} Place
 * @property {Declaration} declaration
 * @property {import('./text.mjs').Match} match
 */

/**
 * Reads all lists of a folder.
 *
 * @param {'meaning' | 'fresh'} [folder]
 * @returns {Fault[]}
 */
export function readFaults(folder = 'meaning') {
  return readdirSync(pathOf(folder))
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((list) => faultsIn(folder, list))
}

/** @param {string} folder @param {string} list @returns {Fault[]} */
function faultsIn(folder, list) {
  const room = basename(list, '.yaml')
  const { tests: usual, faults } = parse(readFileSync(pathOf(folder, list), 'utf8'))
  return faults.map(({ in: name, find, replace, breaks, tests = usual, worker = false }) => ({
    room,
    in: name,
    find,
    replace: replace ?? '',
    breaks,
    tests: [tests].flat().map(allIn),
    isInWorker: worker,
  }))
}

/** Returns the pattern of all tests in a folder of tests; other names stay. @param {string} tests */
function allIn(tests) {
  return /^tests\/[\w-]+$/.test(tests) ? `${tests}/**/*.test.ts` : tests
}

/**
 * Puts a fault into its source.
 *
 * @param {Fault} fault
 * @returns {{ file: string, text: string }} the file that has its function, from the root of the project, and its text with the fault
 * @throws an error that names a fault whose function or text is not there, or there more than once
 */
export function faulty(fault) {
  const { declaration, match } = placeOf(fault)
  const { file, source } = declaration
  const replacement = renamed(fault.replace, match.names)
  const text = source.slice(0, match.start) + replacement + source.slice(match.end)
  if (text === source)
    throw new Error(`${entryOf(fault)}: expected another text in place of its own, got the same`)
  return { file, text }
}

/**
 * Searches the room of the fault's list before others, which may have functions of the same name. In each, it
 * searches the exact text before one with other names.
 *
 * @param {Fault} fault @returns {Place}
 */
function placeOf(fault) {
  const candidates = candidatesOf(fault)
  const own = candidates.filter(({ file }) => file.split('/').includes(fault.room))
  for (const some of [own, candidates]) {
    for (const matchesIn of [exactMatches, renamedMatches]) {
      const places = placesIn(some, fault.find, matchesIn)
      const [first, ...others] = places
      if (first && others.length === 0) return first
      if (first) throw new Error(`${entryOf(fault)}: ${ambiguous(fault, places)}`)
    }
  }
  const where = [...new Set([...own, ...candidates].map(({ file }) => file))].slice(0, 5).join(', ')
  throw new Error(
    `${entryOf(fault)}: expected its text in ${fault.in} (${where}), got none: ${fault.find} — copy what the function has now into "find", the smallest expression that is there once`,
  )
}

/** @param {Fault} fault @returns {readonly Declaration[]} all functions of that name */
function candidatesOf({ in: name, room, ...fault }) {
  const byName = declarationsOf(room === 'crate' ? 'crate' : 'js')
  const [last, owner] = /\.(ts|rs)$/.test(name) ? [name] : name.split('.').reverse()
  const found = byName.get(last ?? '') ?? []
  const isOf = (/** @type {Declaration} */ one) => owner === one.owner || one.file.includes(`/${owner}.`)
  const candidates = owner === undefined ? found : found.filter(isOf)
  if (candidates.length > 0) return candidates
  const nearest = [...byName.keys()].sort((a, b) => leven(a, last ?? '') - leven(b, last ?? '')).slice(0, 3)
  const others = found.length > 0 ? found : nearest.flatMap((one) => byName.get(one)?.slice(0, 1) ?? [])
  throw new Error(
    `${entryOf({ room, ...fault })}: expected a function ${name}, got none; the nearest are ${others.map(called).join(', ')} — put its new name into "in"`,
  )
}

/**
 * Returns the distinct places of a text: a function is also in its class and in its file, which have the same text.
 *
 * @param {readonly Declaration[]} candidates @param {string} find @param {typeof exactMatches} matchesIn
 */
function placesIn(candidates, find, matchesIn) {
  const places = candidates.flatMap((declaration) =>
    matchesIn(declaration.plain(), find).map((match) => ({ declaration, match })),
  )
  return [...new Map(places.map((one) => [`${one.declaration.file} ${one.match.start}`, one])).values()]
}

/** @param {Fault} fault @param {readonly Place[]} places */
function ambiguous({ in: name, find }, places) {
  const names = places.map(({ declaration }) => called(declaration))
  return `expected its text once in ${name}, got it in ${names.join(', ')}: ${find} — put more of the expression into "find", or Class.method into "in"`
}

/** @param {Declaration} declaration */
function called({ name, owner, file }) {
  return `${owner === undefined ? '' : `${owner}.`}${name} (${file})`
}

/** @param {Pick<Fault, 'room' | 'breaks'>} fault */
function entryOf({ room, breaks }) {
  return `${room}.yaml, "${breaks}"`
}
