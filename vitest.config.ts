import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { browserModules } from './tests/browsers/browser-modules.js'
import { commands } from './tests/browsers/commands.js'
import { headless } from './tests/browsers/provider.js'

const test = { include: ['tests/**/*.test.ts'], testTimeout: 30_000, hookTimeout: 30_000 }

/** What a browser does not have, or what is tested from outside. Everything else runs there too. */
const NODE_ONLY = [
  'tests/build/**',
  'tests/packaging/**',
  'tests/bench/**',
  'tests/streams/buffer.test.ts',
  'tests/keys/key-files.test.ts',
  'tests/demo/**',
  'tests/pool/deaths.test.ts',
  'tests/pool/lifecycle.test.ts',
  'tests/annotators/tls.test.ts',
  'tests/annotators/tpm.test.ts',
  'tests/streams/mqtt-exit.test.ts',
  'tests/streams/mqtt-memory.test.ts',
  'tests/streams/mqtt-receive-hooks.test.ts',
  'tests/streams/mqtt-tls.test.ts',
]

const node: TestProjectInlineConfiguration = {
  test: {
    ...test,
    name: 'node',
    exclude: [...configDefaults.exclude, 'tests/platform/browser.test.ts', 'tests/demo/**'],
    pool: 'forks',
    // They wait for brokers and for npm half of the time.
    maxWorkers: 2,
    // What users get: the compiled package as Node loads it, not as Vite would rewrite it.
    server: { deps: { external: [/\/dist\//] } },
    // tests/core/memory.test.ts looks at what is left after a collection.
    execArgv: ['--expose-gc'],
  },
}

/** The demo page in real browsers, driven from Node. */
const demo: TestProjectInlineConfiguration = {
  test: {
    ...test,
    name: 'demo',
    include: ['tests/demo/**/*.test.ts'],
    globalSetup: 'tests/demo/build.ts',
    pool: 'forks',
    // They wait for browsers most of the time.
    maxWorkers: 2,
    testTimeout: 60_000,
    server: { deps: { external: [/\/dist\//] } },
  },
}

const browsers: TestProjectInlineConfiguration = {
  plugins: [browserModules()],
  // Found only while a test runs, they would reload it.
  optimizeDeps: { include: ['cborg', 'mqtt', 'valibot', 'fast-check'] },
  test: {
    ...test,
    name: 'browsers',
    exclude: [...configDefaults.exclude, ...NODE_ONLY],
    browser: {
      enabled: true,
      headless: true,
      provider: headless(),
      commands,
      ui: false,
      screenshotFailures: false,
      instances: [
        { browser: 'chromium', name: 'chromium' },
        { browser: 'firefox', name: 'firefox' },
      ],
    },
  },
}

export default defineConfig({
  test: { projects: [node, demo, browsers] },
})
