// Puts small faults into a room, one at a time, and runs its tests on each: what survives is not held by any.
//
//   npm run mutants -- keys            a room of the compiled package, by Stryker
//   npm run mutants -- crate           the Rust core, by cargo-mutants
//   npm run mutants -- keys dist/key-forms.js
//   npm run mutants -- keys --quick    without what a module does while it loads, which takes most of the time
//   npm run mutants -- crate src/merkle.rs -- --test merkle
//   npm run mutants -- curve --shard=0/10 --sharding=round-robin   the crate's Ed25519, one mutant of ten
//
//   npm run mutants -- meaning         faults that no tool would make, listed in meaning/: some minutes
//   npm run mutants -- meaning file 'replaced client'   those of a room, or with these words
//   npm run mutants -- fresh           faults written from the documents alone: hours
//
// Not part of `npm test`: a room takes minutes, the core an hour, the curve a night. For these two:
// cargo install cargo-mutants --locked

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { meaning } from './meaning.mjs'
import { roomOf } from './rooms.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const [room, ...args] = process.argv.slice(2)
const isQuick = args.includes('--quick')
const files = args.filter((arg) => arg !== '--quick')
/** Mutants at a time: what takes long mostly waits, for brokers and for time to pass. */
const AT_ONCE = { tests: 2, late: 4 }

const PACKAGES = { crate: 'alvarium-core', curve: 'ed25519x4' }

if (room === 'crate' || room === 'curve') cargo(room, files)
else if (room === 'meaning' || room === 'fresh') process.exitCode = (await meaning(room, files)) ? 0 : 1
else if (room !== undefined && roomOf(room)) await compiled(room, files)
else {
  console.error(
    `expected meaning, fresh, ${Object.keys(PACKAGES).join(', ')}, or a room: a folder of js/, or one of tests/mutants/rooms.mjs`,
  )
  process.exit(1)
}

/** @param {string} room @param {string[]} only files, all of the room unless given */
async function compiled(room, only) {
  process.chdir(root)
  const { files, tests, late = [], patienceMs } = roomOf(room) ?? { files: [], tests: [] }
  const mutants = await tried(only.length > 0 ? only : files, tests, AT_ONCE.tests, patienceMs)
  let survivors = mutants.filter(hasSurvived)
  if (late.length > 0 && survivors.length > 0) {
    console.log(`${survivors.length} of ${mutants.length} are left to the late tests:`)
    for (const mutant of survivors) console.log(`Left: ${name(mutant)}`)
    const again = await tried(survivors.map(place), late, AT_ONCE.late)
    // Other mutants stand in the same places.
    const killed = new Set(again.filter(isKilled).map(name))
    survivors = survivors.filter((mutant) => !killed.has(name(mutant)))
  }
  for (const mutant of survivors) console.log(`${mutant.status}: ${name(mutant)}`)
  const counted = mutants.filter((mutant) => hasSurvived(mutant) || isKilled(mutant)).length
  score(room, counted - survivors.length, counted)
}

/**
 * @typedef {import('@stryker-mutator/api/core').MutantResult} Mutant
 *
 * @param {string[]} mutate files, or places in them
 * @param {string[]} tests
 * @param {number} concurrency
 * @param {number} [patienceMs] how long a test may wait for what a mutant never does
 */
function tried(mutate, tests, concurrency, patienceMs = 30_000) {
  process.env['MUTANTS_TESTS'] = JSON.stringify(tests)
  process.env['MUTANTS_PATIENCE_MS'] = String(patienceMs)
  return new Stryker({
    mutate,
    testRunner: 'vitest',
    // Node loads the mutated modules, and Vitest does not know their tests.
    vitest: { configFile: 'tests/mutants/vitest.config.ts', related: false },
    ignorePatterns: ['/crate', '/bench', '/examples', '/js', '/tests/demo', '*.map', '*.tgz'],
    reporters: ['progress-append-only'],
    warnings: { slow: false },
    ignoreStatic: isQuick,
    disableTypeChecks: false,
    allowEmpty: false,
    concurrency,
    timeoutMS: Math.min(20_000, 2 * patienceMs),
    cleanTempDir: 'always',
    allowConsoleColors: false,
  }).runMutationTest()
}

/** @param {Mutant} mutant */
function hasSurvived({ status }) {
  return status === 'Survived' || status === 'NoCoverage'
}

/** @param {Mutant} mutant */
function isKilled({ status }) {
  return status === 'Killed' || status === 'Timeout' || status === 'RuntimeError'
}

/** @param {Mutant} mutant */
function name({ fileName, location, mutatorName, replacement }) {
  const { line, column } = location.start
  return `${relative(root, fileName)}:${line}:${column} ${mutatorName} -> ${replacement}`
}

/** Returns the place of a mutant in Stryker's form: lines from 1, columns from 0. @param {Mutant} mutant */
function place({ fileName, location: { start, end } }) {
  return `${relative(root, fileName)}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`
}

/**
 * Runs cargo-mutants in a copy, because it changes the sources in place. The tests look for the vectors next to the crate.
 *
 * @param {'crate' | 'curve'} room
 * @param {string[]} args files, all of them unless given, and options; behind `--` what cargo test gets: all tests but
 *   those of the documentation, unless given
 */
function cargo(room, args) {
  const copy = mkdtempSync(join(tmpdir(), 'alvarium-mutants-'))
  try {
    for (const folder of ['crate', 'tests/vectors']) {
      const filter = (/** @type {string} */ path) => path !== join(root, 'crate/target')
      cpSync(join(root, folder), join(copy, folder), { recursive: true, filter })
    }
    const at = args.includes('--') ? args.indexOf('--') : args.length
    const only = args.slice(0, at).flatMap((arg) => (arg.startsWith('--') ? [arg] : ['--file', arg]))
    const tests = args[at] === '--' ? args.slice(at) : ['--', '--tests']
    const cwd = join(copy, 'crate')
    const config = join(root, 'tests/mutants/crate.toml')
    const { status, error } = spawnSync(
      'cargo',
      ['mutants', '--in-place', '--config', config, '--package', PACKAGES[room], ...only, ...tests],
      {
        cwd,
        stdio: 'inherit',
        env: { ...process.env, CARGO_TARGET_DIR: join(root, 'crate/target/mutants'), PROPTEST_CASES: '32' },
      },
    )
    const lines = (/** @type {string} */ name) =>
      readFileSync(join(cwd, `mutants.out/${name}.txt`), 'utf8').split('\n').length - 1
    if (error) throw error
    const killed = lines('caught') + lines('timeout')
    score(room, killed, killed + lines('missed'))
    process.exitCode = status === 1 ? 1 : 0
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function score(/** @type {string} */ name, /** @type {number} */ killed, /** @type {number} */ all) {
  console.log(`\n${name}: ${killed} of ${all} killed, ${((100 * killed) / all).toFixed(1)} %`)
}
