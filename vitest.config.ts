import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import type { BrowserInstanceOption } from 'vitest/node'
import { browserModules } from './tests/browsers/browser-modules.js'
import { commands } from './tests/browsers/commands.js'
import { headless } from './tests/browsers/provider.js'
import { HANGS_MS } from './tests/support/limits.js'
import { markedFiles } from './tests/support/marks.js'

const everything = 'tests/**/*.test.ts'
const packaging = 'tests/packaging/**/*.test.ts'
const demoPage = 'tests/demo/**/*.test.ts'
const benches = 'tests/bench/**/*.test.ts'
/** Files say in their first lines where they run, and why. */
const marked = markedFiles()
/** Not in `npm test`, see tests/running/steps.mjs. */
const slow = [benches, ...marked.slow]
/** Memory that is left after a collection. Benches are judged by no test: they may run beside others. */
const MEASURING = [
  'tests/core/memory.test.ts',
  'tests/sources/memory.test.ts',
  'tests/streams/mqtt-memory.test.ts',
]

/** Folders of tests from outside, or of what a browser does not have. Everything else runs there too, unless a file is marked. */
const NODE_ONLY = [
  packaging,
  demoPage,
  benches,
  ...['artifacts', 'build', 'cli', 'config-file', 'diagnostics', 'docs', 'examples', 'file'].map(testsOf),
  ...['guide', 'independent', 'opentelemetry'].map(testsOf),
  testsOf('plug-ins'), // unhandled rejections of the process are counted
  testsOf('store'), // servers of its own
  testsOf('verdicts'), // FORMAT.md, the command and the Python verifier
  ...marked['node-only'],
]

/**
 * Tests of what Node cannot show: where a browser has another transport, other workers, timers, cryptography or names, or where its
 * engine decides. `npm test` has them in Chromium, `npm run test:long` in Firefox. The others are the same core on the same bytes:
 * `npm test -- whole` has them in both, before a release.
 */
const BROWSERS_OWN = [
  testsOf('hashing'), // which engine hashes
  testsOf('outbox'), // IndexedDB and Web Locks
  testsOf('pool'), // workers of the browser, not threads of Node
  testsOf('sources'), // streams and blobs are the browser's own
  ...marked.browser,
]

/** In Firefox also what the engine of the language decides, which Chromium shares with Node. */
const FIREFOX_OWN = [...BROWSERS_OWN, ...marked.firefox]

/**
 * In browsers, the files of a project share one page: a page for each takes longer to load than most take to run. These need a page of
 * their own (tests/support/shared-page.ts).
 */
const isBrowsersOwn = (file: string) => marked.browser.includes(file)
const ALONE_OWN = [
  testsOf('platform'), // timers keep a page awake
  ...marked.alone.filter(isBrowsersOwn),
]
const ALONE_REST = marked.alone.filter((file) => !isBrowsersOwn(file))
const ALONE = [...ALONE_OWN, ...ALONE_REST]

/**
 * Nothing is tried again: a test has to hold on a slow, busy machine. So this limit is only there to end what hangs; on two
 * quiet cores the slowest test takes a fifteenth of it.
 */
const LONGEST_MS = 150_000
const PATIENCE = 'tests/support/patience.ts'
/** Where files share a page or a process. */
const IN_COMPANY = [PATIENCE, 'tests/support/shared-page.ts']
const shared = {
  testTimeout: LONGEST_MS,
  hookTimeout: LONGEST_MS,
  teardownTimeout: LONGEST_MS,
  expect: { poll: { timeout: HANGS_MS } },
  setupFiles: [PATIENCE],
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

/** One process for each file takes longer to start than most files run. */
const OWN_PROCESS = [...ALONE, ...marked['own-process']]
const ofDatabases = { STORE_DATABASES: 'oldest' }

const nodeTogether: TestProjectInlineConfiguration = {
  test: {
    ...inNode,
    name: 'node-together',
    env: ofDatabases,
    isolate: false,
    setupFiles: IN_COMPANY,
    include: [everything],
    exclude: [...notInNode, ...OWN_PROCESS],
  },
}

const node: TestProjectInlineConfiguration = {
  test: {
    ...inNode,
    name: 'node',
    env: ofDatabases,
    include: OWN_PROCESS,
    exclude: notInNode,
  },
}

function testsOf(folder: string): string {
  return `tests/${folder}/**/*.test.ts`
}

/** In PGlite and in the newest PostgreSQL. */
const databases: TestProjectInlineConfiguration = {
  test: {
    ...inNode,
    name: 'databases',
    env: { STORE_DATABASES: 'others' },
    isolate: false,
    setupFiles: IN_COMPANY,
    include: marked['each-database'],
  },
}

const slowInNode: TestProjectInlineConfiguration = {
  test: { ...inNode, name: 'slow', include: slow, exclude: [...configDefaults.exclude, ...MEASURING] },
}

const measuring: TestProjectInlineConfiguration = {
  test: { ...inNode, name: 'measuring', include: MEASURING, execArgv: ['--expose-gc'] },
}

/** The package as npm packs it, packed and installed once. */
const packed: TestProjectInlineConfiguration = {
  test: {
    ...inNode,
    name: 'packaging',
    include: [packaging],
    globalSetup: 'tests/packaging/packed.ts',
  },
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
const notInFirefox = [...notInBrowsers, ...marked['not-firefox']]

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
  { browser: 'firefox', name: 'firefox', include: FIREFOX_OWN, exclude: [...notInFirefox, ...ALONE] },
  { browser: 'chromium', name: 'chromium', exclude: [...notInBrowsers, ...ALONE, ...BROWSERS_OWN] },
  { browser: 'firefox', name: 'firefox-rest', exclude: [...notInFirefox, ...ALONE, ...FIREFOX_OWN] },
])

const alone = inBrowsers('alone', true, [
  { browser: 'chromium', name: 'browser-alone', include: ALONE_OWN },
  { browser: 'firefox', name: 'firefox-alone', include: ALONE_OWN, exclude: notInFirefox },
  { browser: 'chromium', name: 'chromium-alone', include: ALONE_REST },
  { browser: 'firefox', name: 'firefox-rest-alone', include: ALONE_REST, exclude: notInFirefox },
])

/** Where `npm test -- … --repeat` reads what failed. */
const report = process.env['TEST_REPORT']

export default defineConfig({
  test: {
    ...(report !== undefined && { reporters: ['default', ['json', { outputFile: report }]] }),
    projects: [node, nodeTogether, databases, slowInNode, measuring, packed, demo, together, alone],
  },
})
