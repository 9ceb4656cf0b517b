// Puts small faults into a room, one at a time, and runs its tests on each: what survives is not held by any.
//
//   npm run mutants -- keys            a room of the compiled package, by Stryker
//   npm run mutants -- crate           the Rust core, by cargo-mutants
//   npm run mutants -- keys dist/key-forms.js
//   npm run mutants -- keys --quick    without what a module does while it loads, which takes most of the time
//   npm run mutants -- crate src/merkle.rs -- --test merkle
//
// Not part of `npm test`: a room takes minutes, the crate hours. For the crate: cargo install cargo-mutants --locked

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { ROOMS } from './rooms.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const [room, ...args] = process.argv.slice(2)
const isQuick = args.includes('--quick')
const files = args.filter((arg) => arg !== '--quick')

if (room === 'crate') crate(files)
else if (room !== undefined && room in ROOMS) await compiled(room, files)
else {
  console.error(`expected a room: crate, ${Object.keys(ROOMS).join(', ')}`)
  process.exit(1)
}

/** @param {string} room @param {string[]} files those of the room unless given */
async function compiled(room, files) {
  process.chdir(root)
  process.env['MUTANTS_ROOM'] = room
  const mutants = await new Stryker({
    mutate: files.length > 0 ? files : (ROOMS[room]?.files ?? []),
    testRunner: 'vitest',
    // What is mutated is loaded by Node: Vitest does not know which tests it belongs to.
    vitest: { configFile: 'tests/mutants/vitest.config.ts', related: false },
    ignorePatterns: ['/crate', '/bench', '/examples', '/js', '/tests/demo', '*.map', '*.tgz'],
    reporters: ['progress-append-only'],
    warnings: { slow: false },
    ignoreStatic: isQuick,
    disableTypeChecks: false,
    allowEmpty: false,
    concurrency: 2,
    timeoutMS: 20_000,
    cleanTempDir: 'always',
    allowConsoleColors: false,
  }).runMutationTest()
  for (const { status, fileName, location, mutatorName, replacement } of mutants) {
    if (status !== 'Survived' && status !== 'NoCoverage') continue
    const { line, column } = location.start
    console.log(`${status}: ${fileName}:${line}:${column} ${mutatorName} -> ${replacement}`)
  }
  const count = (/** @type {string[]} */ ...statuses) =>
    mutants.filter(({ status }) => statuses.includes(status)).length
  const killed = count('Killed', 'Timeout', 'RuntimeError')
  score(room, killed, killed + count('Survived', 'NoCoverage'))
}

/**
 * In a copy: what is run there changes the sources in place, and the tests look for the vectors beside the crate.
 *
 * @param {string[]} args files, all of them unless given; behind `--` what cargo test gets, to run some tests only
 */
function crate(args) {
  const copy = mkdtempSync(join(tmpdir(), 'alvarium-mutants-'))
  try {
    for (const folder of ['crate', 'tests/vectors']) {
      const filter = (/** @type {string} */ path) => path !== join(root, 'crate/target')
      cpSync(join(root, folder), join(copy, folder), { recursive: true, filter })
    }
    const at = args.includes('--') ? args.indexOf('--') : args.length
    const only = args.slice(0, at).flatMap((file) => ['--file', file])
    const cwd = join(copy, 'crate')
    const config = join(root, 'tests/mutants/crate.toml')
    const { status, error } = spawnSync(
      'cargo',
      ['mutants', '--in-place', '--config', config, ...only, ...args.slice(at)],
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
    score('crate', killed, killed + lines('missed'))
    process.exitCode = status === 1 ? 1 : 0
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function score(/** @type {string} */ name, /** @type {number} */ killed, /** @type {number} */ all) {
  console.log(`\n${name}: ${killed} of ${all} killed, ${((100 * killed) / all).toFixed(1)} %`)
}
