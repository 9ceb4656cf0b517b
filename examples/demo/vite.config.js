import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defineConfig } from 'vite'
import { alias, inject } from '../../js/build/mqtt/settings.js'
import packageJson from '../../package.json' with { type: 'json' }
import { samples } from './build/samples.mjs'

const { homepage, repository } = packageJson
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Names of chunks that have none of their own: `build/build.mjs` recognizes the chunks that only a trust policy needs.
 */
const CHUNKS = { yaml: '/node_modules/yaml/', trust: '/dist/evidence/trust/open-trust.js' }

/** @param {string[]} modules */
const nameOfChunk = (modules) =>
  Object.entries(CHUNKS).find(([, path]) => modules.some((id) => id.includes(path)))?.[0] ?? '[name]'

/** Makes the plugin for `#samples`: the samples of `build/samples.mjs`, as a module. */
const samplesModule = () => ({
  name: 'alvarium-samples',
  // Resolve it before Vite looks for it in package.json.
  enforce: /** @type {const} */ ('pre'),
  resolveId: (id) => (id === '#samples' ? '\0samples' : undefined),
  load: (id) => (id === '\0samples' ? `export default ${JSON.stringify(samples())}` : undefined),
})

/** Returns a link, and none for a placeholder, which has no target (RFC 6761, 6.4). @param {string} name @param {string} address */
const linkTo = (name, address) => (new URL(address).hostname.endsWith('.invalid') ? {} : { [name]: address })

/** Modes: `broker` (MQTT over WebSocket) and `serverless` (from worker to worker inside the page). */
export default defineConfig(({ mode }) => ({
  root: here('.'),
  // Relative, so that any web server can serve the page from any folder.
  base: './',
  plugins: [samplesModule()],
  resolve: {
    conditions: ['alvarium-wasm', ...defaultClientConditions],
    alias: [
      {
        find: '#transport',
        replacement: here(mode === 'serverless' ? 'transport/in-page.ts' : 'transport/broker.ts'),
      },
      // The package's exports do not include its files.
      { find: '#data', replacement: here('../../node_modules/vega-datasets/data') },
      ...alias,
    ],
  },
  define: {
    __TRANSPORT__: JSON.stringify(mode === 'serverless' ? 'in-page' : 'broker'),
    __LINKS__: JSON.stringify({
      ...linkTo('repository', repository.url.replace(/^git\+|\.git$/g, '')),
      ...linkTo('guide', homepage),
    }),
  },
  build: {
    target: 'es2023',
    // The Content-Security-Policy would refuse assets inlined as data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  worker: {
    format: 'es',
    rolldownOptions: {
      checks: { pluginTimings: false },
      transform: { inject },
      output: {
        chunkFileNames: ({ moduleIds }) => `assets/${nameOfChunk(moduleIds)}-[hash].js`,
      },
    },
  },
}))
