// Lists the steps of `npm test`, one row for each, in the order of how fast they fail. Two run at a time, and a
// mostly waiting one as a third, except for measuring steps. The longest begins right after the steps that fail
// within seconds; short ones come last, to fill the lane that is free first.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nativeCargo } from '../../js/build/toolchain.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** @typedef {{ program: string, args: string[], cwd: string, env?: Record<string, string> }} Command */

/** @returns {Command} */
const node = (path, ...args) => ({ program: process.execPath, args: [join(root, path), ...args], cwd: root })
/** @returns {Command} a tool out of node_modules */
const npm = (path, ...args) => node(`node_modules/${path}`, ...args)
/** @returns {Command} the tests that run there, see vitest.config.ts */
const vitest = (...projects) =>
  npm('vitest/vitest.mjs', 'run', ...projects.flatMap((project) => ['--project', project]))
/** Returns the type check of the files that changed since its last run, and of their users. @returns {Command} */
const types = (/** @type {string} */ project) => {
  const known = join(root, `node_modules/.cache/types/${project.replaceAll('/', '-')}.tsbuildinfo`)
  const since = ['--incremental', '--tsBuildInfoFile', known]
  return npm('typescript/bin/tsc', '--noEmit', ...since, '--project', project)
}
/** @returns {Command} */
const cargo = (...args) => ({ program: nativeCargo(), args, cwd: join(root, 'crate') })

export const TESTED_PACKAGES = ['alvarium-core', 'ed25519x4', 'algorithms', 'unpack'].flatMap((name) => [
  '--package',
  name,
])

/**
 * @typedef {object} Step
 * @property {'quick' | 'long' | 'whole'} speed `npm test` runs the quick ones, `npm run test:long` the long ones, and
 *   `npm test -- whole` the ones that only a release needs
 * @property {true} [isMeasuring] measures times or memory, so it runs alone; the others run two at a time
 * @property {true} [isWaiting] waits for brokers, clocks and killed processes most of its time: one of these runs as a third
 * @property {true} [isOfPackage] needs the published files, in package/
 * @property {true} [isOfCrate] runs compiled tests of the crate
 * @property {string} what is tested, for the table at the end
 * @property {() => Command[]} commands one after another; looked up late: `cargo` may not be installed yet
 */

/** @type {Readonly<Record<string, Step>>} */
export const STEPS = {
  lint: {
    speed: 'quick',
    what: 'style and format (Biome)',
    commands: () => [npm('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.')],
  },
  words: {
    speed: 'quick',
    what: 'comments, docstrings, titles of tests and names are plain English',
    commands: () => [node('tests/docs/plain/main.mjs')],
  },
  rooms: {
    speed: 'quick',
    what: 'no circles, imports only from rooms below (dependency-cruiser)',
    commands: () => [
      npm(
        'dependency-cruiser/bin/dependency-cruise.mjs',
        'js',
        'bench',
        'examples/demo',
        'examples/dashboard',
      ),
    ],
  },
  rustfmt: {
    speed: 'quick',
    what: 'format of the crate',
    commands: () => [cargo('fmt', '--all', '--check')],
  },
  node: { speed: 'quick', what: 'the SDK in Node', commands: () => [vitest('node', 'node-together')] },
  clippy: {
    speed: 'quick',
    what: 'lint of the crate',
    commands: () => [
      cargo('clippy', '--quiet', '--locked', '--workspace', '--all-targets', '--', '--deny', 'warnings'),
    ],
  },
  types: {
    speed: 'quick',
    what: 'types of tests and pages (tsc), by the oldest browsers, and the public ones (API Extractor)',
    commands: () => [
      ...['tests', 'examples/demo', 'examples/dashboard', 'examples/pack-page', 'js/engines.json'].map(types),
      node('tests/packaging/api.mjs'),
    ],
  },
  browser: {
    speed: 'quick',
    what: 'in Chromium, what Node cannot show',
    commands: () => [vitest('browser', 'browser-alone')],
  },
  cargo: {
    speed: 'quick',
    isOfCrate: true,
    what: 'tests of the crate',
    // Without xtask, which has no tests: all of its dependencies would be compiled once more, optimised.
    commands: () => [cargo('test', '--quiet', '--locked', ...TESTED_PACKAGES)],
  },
  job: {
    speed: 'quick',
    what: 'what npm start runs, for a month of its weather',
    commands: () => [node('examples/main-job/main.mjs', '--limit', '744')],
  },
  slow: {
    speed: 'long',
    what: 'what takes long in Node, and what benches print',
    commands: () => [vitest('slow')],
  },
  demo: {
    speed: 'long',
    what: 'the demo page, and in both browsers what they decide',
    commands: () => [vitest('demo')],
  },
  packaging: {
    speed: 'long',
    isOfPackage: true,
    what: 'the package as npm packs it: in Node, in pages that Vite builds, in the runtime of Cloudflare Workers, and its types by tsc',
    commands: () => [vitest('packaging')],
  },
  reference: {
    speed: 'long',
    what: 'keys and signatures by the reference core: ed25519-dalek alone',
    commands: () => [
      cargo(
        ...['test', '--quiet', '--locked', '--package', 'alvarium-core', '--no-default-features'],
        ...['standards', 'keys', 'together', 'sha256x4'].flatMap((name) => ['--test', name]),
      ),
    ],
  },
  curve: {
    speed: 'long',
    isOfCrate: true,
    what: 'Ed25519 in WebAssembly against big integers and dalek; `--long`: millions of cases',
    commands: () => [node('crate/ed25519x4/harness/check.mjs')],
  },
  attack: {
    speed: 'long',
    what: 'crafted signatures, altered messages and policies, a few of each',
    commands: () => [node('tests/attack/main.mjs', '--short', '--without', 'http', '--without', 'costs')],
  },
  databases: {
    speed: 'long',
    what: 'stores in PGlite and in the newest PostgreSQL',
    commands: () => [vitest('databases')],
  },
  examples: {
    speed: 'long',
    isOfPackage: true,
    what: 'every other example once, and the path of somebody new',
    commands: () => [
      ...[
        'node-service/run.mjs',
        'csv-to-database/run.mjs',
        'database-consumer/run.mjs',
        'stack/check.mjs',
        'metrics/run.mjs',
        'verify-and-score/run.mjs',
        'image-set/run.mjs',
        'parquet/run.mjs',
        'openlineage/run.mjs',
        'browser/check.mjs',
      ].map((path) => node(`examples/${path}`)),
      node('examples/iot-gateway/measure.mjs', '60'),
      node('tests/cli/newcomer.mjs'),
    ],
  },
  benches: {
    speed: 'long',
    what: 'every bench once, too short to judge',
    commands: () => [node('bench/main.mjs', 'all', '--quick'), node('bench/flows.mjs')],
  },
  release: {
    speed: 'long',
    isOfPackage: true,
    what: 'a release, dry: licences, unused code, exports and types of the tarball, budgets, what would be written',
    commands: () => [node('js/release/main.mjs', '--dry-run')],
  },
  matrix: {
    speed: 'long',
    isOfPackage: true,
    what: 'the packed tarball in projects of other tools, some of each kind',
    commands: () => [node('tests/matrix/main.mjs', '--short')],
  },
  firefox: {
    speed: 'long',
    what: 'in Firefox, what Node cannot show',
    commands: () => [vitest('firefox', 'firefox-alone')],
  },
  locales: {
    speed: 'long',
    what: 'what depends on nothing outside, in other time zones and languages',
    commands: () => [node('tests/locales/main.mjs')],
  },
  damage: {
    speed: 'long',
    isWaiting: true,
    what: 'random damages to stores of an outbox: what is delivered and what is told come to what was stored',
    commands: () => [node('tests/damage/main.mjs'), node('tests/damage/marks.mjs')],
  },
  pooler: {
    speed: 'long',
    isWaiting: true,
    what: 'a failover behind PgBouncer: each accepted bundle is stored under its own names, or was in what the replica lacks',
    commands: () => [node('tests/pooler/main.mjs')],
  },
  stray: {
    speed: 'long',
    isWaiting: true,
    what: 'anything on the topic of a consumer that is restarted: each message is received, or kept as a dead letter',
    commands: () => [node('tests/stray/main.mjs')],
  },
  outages: {
    speed: 'long',
    isWaiting: true,
    what: 'programs whose broker fails: QoS, features, faults and brokers, an eighth of the table',
    commands: () => [node('tests/outages/main.mjs')],
  },
  pipes: {
    speed: 'long',
    isWaiting: true,
    what: 'kills of alvarium listen, store ingest and annotate: received and dead letters come to what was accepted',
    commands: () => [node('tests/pipes/main.mjs')],
  },
  docs: {
    speed: 'long',
    what: 'the site of guide and reference (TypeDoc): all public is said something about, no link is dead, axe finds nothing',
    commands: () => [
      node('examples/guide/build/main.mjs', join(root, 'node_modules/.cache/docs')),
      node('tests/docs/accessible.mjs', join(root, 'node_modules/.cache/docs')),
    ],
  },
  soak: {
    speed: 'long',
    isWaiting: true,
    what: 'calls while publishers, subscribers and brokers are killed, a few of each',
    commands: () => [node('tests/soak/main.mjs', '--short')],
  },
  'attack-costs': {
    speed: 'long',
    isMeasuring: true,
    what: 'requests and packs that are made to cost time, a few of each',
    commands: () => [node('tests/attack/main.mjs', '--short', '--only', 'http', '--only', 'costs')],
  },
  measuring: {
    speed: 'long',
    isMeasuring: true,
    what: 'memory in Node',
    commands: () => [vitest('measuring')],
  },
  chromium: {
    speed: 'whole',
    what: 'in Chromium, what Node shows too',
    commands: () => [vitest('chromium', 'chromium-alone')],
  },
  'firefox-rest': {
    speed: 'whole',
    what: 'in Firefox, what Node shows too',
    commands: () => [vitest('firefox-rest', 'firefox-rest-alone')],
  },
  'job-whole': {
    speed: 'whole',
    what: 'what npm start runs, for all of its weather',
    commands: () => [node('examples/main-job/main.mjs')],
  },
  'demo-both': {
    speed: 'whole',
    what: 'the demo page, all of it in both browsers, with ten ways of a visitor',
    commands: () => [{ ...vitest('demo'), env: { DEMO_BROWSERS: 'all', DEMO_WANDER_SESSIONS: '10' } }],
  },
}
