// Holds a clone to the rules: no new line breaks one, and the faults of each room are as many as old-faults.json says.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addedSince, baseOf, git, gitOrNothing } from './added.mjs'
import { RULES } from './rules.mjs'
import { textsOf } from './texts.mjs'

/** @typedef {{ path: string, line: number, lastLine: number, words: string, rule: import('./rules.mjs').Rule }} Fault */
/** @typedef {Record<string, { texts: number, names: number }>} Figures faults of each room, in prose and in names */

const FOLDERS = ['js', 'crate', 'examples', 'bench', 'tests']
const LANGUAGES = /\.(?:tsx?|m?js|jsx|rs|py)$/
const FILE = 'tests/docs/plain/old-faults.json'

/** Returns all that is wrong in a clone, a line for each. @param {string} root @returns {string[]} */
export function check(root) {
  const { since, rooms } = JSON.parse(readFileSync(join(root, FILE), 'utf8'))
  const base = baseOf(root, since)
  const isAdded = addedSince(root, base)
  const { faults, figures } = faultsOf(root)
  const isNew = ({ path, line, lastLine }) => isAdded(path, line) || isAdded(path, lastLine)
  return [...faults.filter(isNew).map(lineOf), ...differences(figures, rooms), ...increase(root, base, rooms)]
}

/**
 * Writes old-faults.json as the clone is now. Reads only `since` from it: merged branches may have left conflicts in the rooms.
 *
 * @param {string} root
 */
export function accept(root) {
  const since = /"since": "\w+"/.exec(readFileSync(join(root, FILE), 'utf8'))?.[0]
  const rows = Object.entries(faultsOf(root).figures).map(
    ([room, { texts, names }]) => `    "${room}": { "texts": ${texts}, "names": ${names} }`,
  )
  writeFileSync(join(root, FILE), `{\n  ${since},\n  "rooms": {\n${rows.join(',\n')}\n  }\n}\n`)
}

/** Finds and counts the faults of a clone. @param {string} root @param {string} place a folder or a file of it; the whole by default */
export function faultsOf(root, place = '') {
  const listed = git(
    root,
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
    '--',
    ...FOLDERS,
  )
  const paths = listed.split('\n').filter((path) => LANGUAGES.test(path) && `${path}/`.startsWith(place))
  const faults = paths.flatMap((path) => faultsIn(path, textIn(join(root, path))))
  /** @type {Figures} */
  const figures = Object.fromEntries(paths.map((path) => [roomOf(path), { texts: 0, names: 0 }]))
  for (const { path, rule } of faults) figures[roomOf(path)][rule.of.includes('name') ? 'names' : 'texts']++
  return { faults, figures }
}

/** Finds the faults of a file. @param {string} path @param {string} source @returns {Fault[]} */
export function faultsIn(path, source) {
  return textsOf(path, source).flatMap(({ kind, text, places }) =>
    RULES.filter(({ of, pattern }) => of.includes(kind) && pattern.test(text)).map((rule) => {
      const { 0: found, index } = rule.pattern.exec(text)
      const lineAt = (at) => source.slice(0, places.findLast(([from]) => from <= at)[1]).split('\n').length
      const words = text.slice(Math.max(0, index - 30), index + found.length + 60)
      return { path, line: lineAt(index), lastLine: lineAt(index + found.length), words, rule }
    }),
  )
}

/** Describes a fault: place, words, rule and repair. @param {Fault} fault */
export function lineOf({ path, line, words, rule }) {
  return `${path}:${line}: "${words}": ${rule.name}; write instead: ${rule.instead}`
}

/** Returns an empty text for a deleted file that git still lists. */
function textIn(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function roomOf(path) {
  const [folder, room, file] = path.split('/')
  return folder === 'js' && file !== undefined ? `js/${room}` : folder
}

function differences(found, written) {
  const rooms = [...new Set([...Object.keys(found), ...Object.keys(written)])]
  const cells = rooms.flatMap((room) =>
    ['texts', 'names'].map((kind) => ({
      room,
      kind,
      is: found[room]?.[kind] ?? 0,
      was: written[room]?.[kind] ?? 0,
    })),
  )
  const more = cells.filter(({ is, was }) => is > was)
  const fewer = cells.filter(({ is, was }) => is < was)
  return [
    ...more.map(
      ({ room, kind, is, was }) =>
        `${room}: expected ${was} faults in ${kind} as in ${FILE}, got ${is}; npm run words -- ${room} lists them`,
    ),
    ...(fewer.length > 0
      ? [
          `${FILE}: ${fewer.map(({ room }) => room).join(', ')} now has fewer faults; run npm run words -- --accept`,
        ]
      : []),
  ]
}

/** Compares the sum of all rooms with that of the base, because a room may only grow by code that moved there. */
function increase(root, base, rooms) {
  const before = gitOrNothing(root, 'show', `${base}:${FILE}`)
  const sumOf = (figures) => Object.values(figures).reduce((sum, { texts, names }) => sum + texts + names, 0)
  if (before === '' || sumOf(rooms) <= sumOf(JSON.parse(before).rooms)) return []
  return [
    `${FILE}: expected at most ${sumOf(JSON.parse(before).rooms)} faults in all, as at ${base.slice(0, 8)}, got ${sumOf(rooms)}`,
  ]
}
