// Runs the tests that are independent of the place in other time zones and languages. A digest, a message or a verdict is
// the same everywhere.
//
//   node tests/locales/main.mjs            each time zone and each language once
//   node tests/locales/main.mjs --full     every time zone with every language
//   node tests/locales/main.mjs tr_TR      places with this in their names

import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LANGUAGES, ZONES } from './places.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/**
 * Tests without brokers, databases, browsers and processes, and without the long searches for faults: these are the
 * same in any place.
 */
const FILES = {
  hashing: ['hashing'],
  records: ['beginning', 'encodings', 'fields'],
  classic: ['exact', 'vectors'],
  sets: ['format'],
  score: ['policy', 'verdict'],
  seal: ['clock', 'identity', 'naming'],
  completeness: ['format'],
  trust: ['lease-format', 'rules', 'times'],
  packs: ['exports'],
  cli: ['inspect', 'trust'],
  verdicts: ['pieces-of-requests', 'pieces-of-sets'],
}
const TESTS = Object.entries(FILES).flatMap(([room, files]) =>
  files.map((file) => `tests/${room}/${file}.test.ts`),
)

/** @returns {boolean} whether all tests passed there */
function runAt(/** @type {string} */ zone, /** @type {string} */ language) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const projects = ['--project', 'node', '--project', 'node-together']
  const env = { ...process.env, TZ: zone, LANG: language, LC_ALL: language }
  const { status, stdout } = spawnSync(
    process.execPath,
    [vitest, 'run', ...projects, '--silent=true', ...TESTS],
    {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const counts = stdout.split('\n').find((line) => line.includes('Tests ')) ?? ''
  console.log(`${zone}  ${language}  ${counts.trim()}`)
  if (status !== 0) console.log(stdout)
  return status === 0
}

const words = process.argv.slice(2).filter((word) => word !== '--full')
const pairs = ZONES.flatMap((zone) => LANGUAGES.map((language) => [zone, language]))
const isFull = process.argv.includes('--full') || words.length > 0
const places = isFull ? pairs : ZONES.map((zone, at) => [zone, LANGUAGES[at]])
const chosen = places.filter((place) => words.every((word) => place.join(' ').includes(word)))
const failures = chosen.filter(([zone, language]) => !runAt(zone, language))
if (failures.length > 0 || chosen.length === 0) process.exitCode = 1
