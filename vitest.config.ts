import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import type { BrowserInstanceOption } from 'vitest/node'
import { browserModules } from './tests/browsers/browser-modules.js'
import { commands } from './tests/browsers/commands.js'
import { headless } from './tests/browsers/provider.js'
import { HANGS_MS } from './tests/support/limits.js'

const everything = 'tests/**/*.test.ts'
const packaging = 'tests/packaging/**/*.test.ts'
const demoPage = 'tests/demo/**/*.test.ts'
/** Of those, what takes long: Cloudflare's runtime, projects that Vite builds, in browsers, and what tsc finds. */
const slowPackaging = 'tests/packaging/{front-ends,types,vite,workerd,workerd-guide}.test.ts'
const benches = 'tests/bench/**/*.test.ts'
/** What takes long in Node and decides little: not in `npm test`, see js/build/steps.mjs. */
const slow = [
  benches,
  'tests/cli/as-users.test.ts',
  'tests/cli/page.test.ts',
  'tests/cli/shells.test.ts',
  'tests/completeness/overflow.test.ts',
  'tests/core/memory.test.ts',
  'tests/streams/mqtt-each-reason.test.ts',
  'tests/streams/mqtt-memory.test.ts',
  'tests/streams/mqtt-overload.test.ts',
  'tests/consume/kills.test.ts',
  'tests/outbox/kills.test.ts',
  'tests/examples/pack-page.test.ts', // two browsers of its own
  'tests/independent/!(vectors).test.ts', // Python and others; its vectors show that format and verifier agree
  'tests/sources/memory.test.ts',
  'tests/trust/leased-hardware.test.ts',
  'tests/trust/rabbitmq.test.ts',
  'tests/store/{alterations,kills}.test.ts',
  'tests/docs/example-*.test.ts',
  'tests/doctor/{embedded,limits,mosquitto,rabbitmq}.test.ts', // brokers are killed and started again
  'tests/examples/{dashboard,database-consumer,iot-gateway,recipes}.test.ts', // programs and pages, as a user runs them
  'tests/guide/{blocks,edge,services,types}.test.ts', // the same of the guide's pages
  'tests/http/many-keys.test.ts', // the core's memory
]

/** What is tested on every database: on one by `npm test`, on the others beside what is slow (tests/store/databases.ts). */
const STORES =
  'tests/store/{asking,audit,beside,beside-subscribed,deliveries,figures,judging,log,missing,pruning,serving,sets,signed-prunings,sources,storing}.test.ts'

/** What a browser does not have, or what is tested from outside. Everything else runs there too. */
const NODE_ONLY = [
  'tests/build/**',
  'tests/docs/**',
  // Brokers are set up in ways of their own, and looked into.
  'tests/doctor/{announced,embedded,limits,mosquitto,rabbitmq,traces}.test.ts',
  'tests/independent/**',
  'tests/cli/**',
  'tests/core/constant-time.test.ts',
  'tests/core/alone.test.ts', // processes of their own
  'tests/sources/memory.test.ts', // asks for garbage to be collected
  'tests/trust/logged-everywhere.test.ts', // the command, too
  'tests/trust/same-words.test.ts', // the command, too
  'tests/sets/inputs-logged.test.ts', // stops timers
  'tests/core/first-use.test.ts', // a process of its own
  'tests/platform/mqtt-bytes.test.ts', // beside Node's Buffer
  packaging,
  demoPage,
  benches,
  'tests/diagnostics/**',
  'tests/opentelemetry/**',
  'tests/completeness/{kept-run,live,overflow,remembered}.test.ts', // it stops the clock; Mosquitto's queue decides; the inside of the package
  'tests/config-file/**',
  'tests/examples/**',
  'tests/guide/**',
  'tests/file/**',
  'tests/store/**', // servers of its own
  'tests/verdicts/**', // FORMAT.md, the command and the Python verifier
  'tests/plug-ins/**', // they count unhandled rejections of the process
  'tests/streams/buffer.test.ts',
  'tests/algorithms/hsm.test.ts',
  'tests/algorithms/openssl.test.ts',
  'tests/keys/key-files.test.ts',
  'tests/keys/remains.test.ts',
  'tests/keys/ssh-keygen.test.ts',
  'tests/seal/silent-platform.test.ts',
  'tests/sources/{files,node-streams}.test.ts',
  'tests/hashing/engine.test.ts', // watches Node's own SHA-256
  'tests/sdk/ready.test.ts', // an annotator that looks at a file
  'tests/pool/deaths.test.ts',
  'tests/pool/lifecycle.test.ts',
  'tests/pool/restarts.test.ts',
  'tests/pool/worker-file.test.ts',
  'tests/trust/{afternoon,everywhere,forms,lease-stream,leases-everywhere,leased-hardware,model,outage,rabbitmq,subscribed,watch}.test.ts', // files, Buffers, processes, a stopped clock
  'tests/outbox/{carve,disk,forged,kills,mark,opening,rot,table,two-openers}.test.ts', // files, and LevelDB
  'tests/artifacts/**',
  'tests/http/{annotator,frameworks,receive,receive-fetch}.test.ts',
  'tests/annotators/tls.test.ts',
  'tests/annotators/tpm.test.ts',
  // Their broker is on the other side of a plain socket.
  'tests/streams/mqtt-arrivals.test.ts',
  'tests/subscribe/aborted.test.ts',
  'tests/streams/mqtt-reconnection.test.ts',
  'tests/streams/mqtt-client-id.test.ts',
  'tests/streams/mqtt-dial.test.ts',
  'tests/streams/mqtt-grants.test.ts',
  'tests/streams/mqtt-each-reason.test.ts',
  'tests/streams/mqtt-stream.test.ts',
  'tests/streams/mqtt-subscribing.test.ts',
  'tests/streams/mqtt-liveness.test.ts',
  // They stop the clock, by which mqtt.js' streams go in browsers.
  'tests/streams/mqtt-connection.test.ts',
  'tests/streams/mqtt-leftovers.test.ts',
  'tests/streams/mqtt-exit.test.ts',
  'tests/streams/mqtt-memory.test.ts',
  'tests/streams/mqtt-overload.test.ts',
  'tests/streams/mqtt-recovery.test.ts',
  'tests/streams/mqtt-receive-hooks.test.ts',
  'tests/streams/mqtt-tls.test.ts',
  'tests/consume/{kept,kills,waiting}.test.ts',
  'tests/platform/websocket-node.test.ts',
  // They stop the clock to show what our own code does in which order; no engine decides that.
  'tests/config/defaults.test.ts',
  'tests/consume/{beside,groups,groups-dedup}.test.ts',
  'tests/outbox/rejections.test.ts',
  'tests/streams/mqtt-{in-flight,queue,queue-figures,queue-timeouts,queue-window,unheard}.test.ts',
  'tests/trust/{leased,logged}.test.ts',
]

/**
 * What Node cannot show, for `npm test`: where a browser has another transport, other workers, timers, cryptography or
 * names, or where its engine decides. What is left is the same core on the same bytes: `npm run test:long` has that, and Firefox.
 */
const BROWSERS_OWN = [
  // WebSocket by the browser, not by ws; what comes after a failure is the same code, and takes its time.
  'tests/streams/mqtt.test.ts', // out
  'tests/subscribe/{listeners,subscribe}.test.ts', // in
  'tests/sdk/broker.test.ts', // the main path, from a call to the verified message
  'tests/outbox/**/*.test.ts', // IndexedDB and Web Locks
  'tests/pool/**/*.test.ts', // workers of the browser, not threads of Node
  'tests/keys/keys.test.ts', // WebCrypto
  'tests/hashing/**/*.test.ts', // which engine hashes
  'tests/sources/**/*.test.ts', // streams and blobs are the browser's own
  'tests/annotators/builtin.test.ts', // tls looks at the page
  'tests/seal/naming.test.ts', // host and tag come from the page
]

/** What takes long and is the same in every browser, as brokers or the core alone decide: Chromium shows it, as Node does. */
const NOT_IN_FIREFOX = [
  'tests/core/memory.test.ts', // Firefox tells nobody of its heap, and the core's memory grows alike everywhere
  'tests/http/many-keys.test.ts', // the core's memory again
  'tests/delivery/batch-messages.test.ts', // 65,536 bundles; V8 has the lower limits
  'tests/streams/mqtt-copies.test.ts', // which copies a broker sends of a message
]

/**
 * In browsers, the files of a project share one page: a page for each takes longer to load than most take to run. These need a page of
 * their own: they break the core, look at its memory or at what was loaded, or stop the clock (tests/support/shared-page.ts).
 */
const ALONE_OWN = [
  'tests/platform/**/*.test.ts', // what there is in browsers alone, and timers that keep a page awake
  'tests/core/failure.test.ts', // how a module is compiled, and how its stack ends
  'tests/seal/signer.test.ts',
]
const ALONE_LONG = [
  'tests/algorithms/remains.test.ts',
  'tests/annotators/custom.test.ts',
  'tests/codecs/hostile-cbor.test.ts',
  'tests/completeness/making.test.ts',
  'tests/core/!(failure).test.ts',
  'tests/delivery/{batches,encoding,outlet}.test.ts',
  'tests/http/many-keys.test.ts',
  'tests/keys/{tables,wiping}.test.ts',
  'tests/sdk/leftovers.test.ts',
  'tests/seal/{coalescer,ec-group,released}.test.ts',
  'tests/verify/hostile-batches.test.ts',
]
const ALONE = [...ALONE_OWN, ...ALONE_LONG]

/**
 * Nothing is tried again: a test has to hold on a slow, busy machine. So this limit is only there to end what hangs; on two
 * quiet cores the slowest test takes a fifteenth of it.
 */
const LONGEST_MS = 150_000
const PATIENCE = 'tests/support/patience.ts'
const PLATFORM = 'tests/support/platform-here.ts'
/** Where files share a page or a process. */
const IN_COMPANY = [PATIENCE, PLATFORM, 'tests/support/shared-page.ts']
const shared = {
  testTimeout: LONGEST_MS,
  hookTimeout: LONGEST_MS,
  teardownTimeout: LONGEST_MS,
  expect: { poll: { timeout: HANGS_MS } },
  setupFiles: [PATIENCE, PLATFORM],
}

const inNode: NonNullable<TestProjectInlineConfiguration['test']> = {
  ...shared,
  pool: 'forks',
  // They wait for brokers, for npm and for browsers half of the time.
  maxWorkers: 3,
  // What users get: the compiled package as Node loads it, not as Vite would rewrite it.
  server: { deps: { external: [/\/dist\//] } },
}

const notInNode = [...configDefaults.exclude, 'tests/platform/browser.test.ts', packaging, demoPage, ...slow]

/** Failed once in company, on a busy machine: a buffer that was gone was not noticed before the core was given it. Nobody knows yet why. */
const OWN_PROCESS = ['tests/delivery/questions.test.ts']

/** Those that share a page in browsers share a process here, too: for most of them, one of their own takes longer to start than they run. */
const nodeTogether: TestProjectInlineConfiguration = {
  test: {
    ...inNode,
    name: 'node-together',
    isolate: false,
    setupFiles: IN_COMPANY,
    include: [everything],
    exclude: [...notInNode, ...NODE_ONLY, ...ALONE, ...OWN_PROCESS],
  },
}

const node: TestProjectInlineConfiguration = {
  test: {
    ...inNode,
    name: 'node',
    env: { STORE_DATABASES: 'oldest' },
    include: [...NODE_ONLY, ...ALONE, ...OWN_PROCESS].map(testsOf),
    exclude: notInNode,
  },
}

/** A folder's tests, of all that is in it. */
function testsOf(pattern: string): string {
  return pattern.replace(/\/\*\*$/, '/**/*.test.ts')
}

const slowInNode: TestProjectInlineConfiguration = {
  // tests/core/memory.test.ts looks at what is left after a collection.
  test: {
    ...inNode,
    name: 'slow',
    env: { STORE_DATABASES: 'others' },
    include: [...slow, STORES],
    execArgv: ['--expose-gc'],
  },
}

/** The package as npm packs it, packed and installed once. */
const packed: TestProjectInlineConfiguration = {
  test: {
    ...inNode,
    name: 'packaging',
    include: [packaging],
    exclude: [...configDefaults.exclude, slowPackaging],
    globalSetup: 'tests/packaging/packed.ts',
  },
}

const elsewhere: TestProjectInlineConfiguration = {
  test: { ...packed.test, name: 'elsewhere', include: [slowPackaging], exclude: configDefaults.exclude },
}

/** The demo page in real browsers, driven from Node; built once. */
const demo: TestProjectInlineConfiguration = {
  test: {
    ...inNode,
    name: 'demo',
    include: [demoPage],
    globalSetup: 'tests/demo/build.ts',
  },
}

const notInBrowsers = [...configDefaults.exclude, ...NODE_ONLY]

/** @param isolate - whether each file has a page of its own; instances cannot say it, Vitest looks at their project */
const inBrowsers = (
  name: string,
  isolate: boolean,
  instances: BrowserInstanceOption[],
): TestProjectInlineConfiguration => ({
  plugins: [browserModules()],
  // Found only while a test runs, they would reload it.
  optimizeDeps: { include: ['cborg', 'mqtt', 'valibot', 'fast-check'] },
  test: {
    ...shared,
    ...(!isolate && { setupFiles: IN_COMPANY }),
    name,
    isolate,
    include: [everything],
    exclude: notInBrowsers,
    browser: {
      enabled: true,
      headless: true,
      provider: headless(),
      commands,
      ui: false,
      screenshotFailures: false,
      connectTimeout: LONGEST_MS,
      instances,
    },
  },
})

const together = inBrowsers('together', false, [
  { browser: 'chromium', name: 'browser', include: BROWSERS_OWN, exclude: [...notInBrowsers, ...ALONE] },
  { browser: 'chromium', name: 'chromium', exclude: [...notInBrowsers, ...ALONE, ...BROWSERS_OWN] },
  { browser: 'firefox', name: 'firefox', exclude: [...notInBrowsers, ...ALONE, ...NOT_IN_FIREFOX] },
])

const alone = inBrowsers('alone', true, [
  { browser: 'chromium', name: 'browser-alone', include: ALONE_OWN },
  { browser: 'chromium', name: 'chromium-alone', include: ALONE_LONG },
  {
    browser: 'firefox',
    name: 'firefox-alone',
    include: ALONE,
    exclude: [...notInBrowsers, ...NOT_IN_FIREFOX],
  },
])

/** Where `npm test -- … --repeat` reads what failed. */
const report = process.env['TEST_REPORT']

export default defineConfig({
  test: {
    ...(report !== undefined && { reporters: ['default', ['json', { outputFile: report }]] }),
    projects: [node, nodeTogether, slowInNode, packed, elsewhere, demo, together, alone],
  },
})
