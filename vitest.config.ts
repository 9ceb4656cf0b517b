import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    pool: 'forks',
    // What users get: the compiled package as Node loads it, not as Vite would rewrite it.
    server: { deps: { external: [/\/dist\//] } },
    // tests/memory.test.ts looks at what is left after a collection.
    execArgv: ['--expose-gc'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
