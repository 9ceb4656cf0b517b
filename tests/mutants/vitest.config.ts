import { configDefaults, defineConfig } from 'vitest/config'
import type { Reporter, Vitest } from 'vitest/node'

const tests: string[] = JSON.parse(process.env['MUTANTS_TESTS'] ?? '[]')

/** Timeout of tests in milliseconds. A hanging test fails in its process, because a new process takes seconds. */
const patienceMs = Number(process.env['MUTANTS_PATIENCE_MS'])

let vitest: Vitest | undefined
/**
 * A mutant that stops a test file from loading fails no test of it, and Stryker would say that it survived. As an error
 * of the whole run it counts.
 */
const loading: Reporter = {
  onInit: (context) => {
    vitest = context
  },
  onTestRunStart: () => vitest?.state.errorsSet.clear(),
  onTestRunEnd: (modules) => {
    for (const error of modules.flatMap((module) => module.errors())) vitest?.state.errorsSet.add(error)
  },
}

/** Tests that need a flag of Node, or the core before its names are removed: the copies have neither. */
const NOT_HERE = ['tests/**/*memory.test.ts', 'tests/core/constant-time.test.ts']

/** The tests that a room's mutants are tried on, in Node: they run often, so long ones are left out. */
export default defineConfig({
  test: {
    include: tests,
    exclude: [...configDefaults.exclude, ...NOT_HERE, 'tests/demo/**', 'tests/packaging/**'],
    reporters: [loading],
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    // The default of a second runs out on a busy machine, which is no sign of a fault.
    setupFiles: ['tests/support/patience.ts'],
    expect: { poll: { timeout: patienceMs } },
    // The mutants are in the compiled package, so Node must load it.
    server: { deps: { external: [/\/dist\//] } },
  },
})
