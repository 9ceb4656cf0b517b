import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defineConfig } from 'vite'
import { alias, inject } from '../../js/build/mqtt/settings.js'
import packageJson from '../../package.json' with { type: 'json' }
import { samples } from './build/samples.mjs'

const { homepage, repository } = packageJson
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Names of chunks, by which `build/build.mjs` recognizes the files for trust policies. */
const CHUNKS = { yaml: '/node_modules/yaml/', trust: '/dist/evidence/trust/open-trust.js' }

/** @param {string[]} modules */
const nameOfChunk = (modules) =>
  Object.entries(CHUNKS).find(([, path]) => modules.some((id) => id.includes(path)))?.[0] ?? '[name]'

/** Returns the plugin that provides the samples of `build/samples.mjs` as the module `#samples`. */
const samplesModule = () => ({
  name: 'alvarium-samples',
  // Resolve `#samples` before Vite looks it up in package.json.
  enforce: /** @type {const} */ ('pre'),
  resolveId: (id) => (id === '#samples' ? '\0samples' : undefined),
  load: (id) => (id === '\0samples' ? `export default ${JSON.stringify(samples())}` : undefined),
})

/**
 * Returns an object with the link. The object is empty for a placeholder below `.invalid` (RFC 6761, section
 * 6.4), which has no target.
 *
 * @param {string} name
 * @param {string} address
 */
const linkTo = (name, address) => (new URL(address).hostname.endsWith('.invalid') ? {} : { [name]: address })

/** Build modes: `broker` (MQTT over WebSocket) and `serverless` (from worker to worker inside the page). */
export default defineConfig(({ mode }) => ({
  root: here('.'),
  // Use a relative base, so that any web server can serve the page from any folder.
  base: './',
  plugins: [samplesModule()],
  resolve: {
    conditions: ['alvarium-wasm', ...defaultClientConditions],
    alias: [
      {
        find: '#transport',
        replacement: here(mode === 'serverless' ? 'transport/in-page.ts' : 'transport/broker.ts'),
      },
      // Find the data by its folder, because the exports of the data's package do not include it.
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
    // Do not inline assets as data: URLs, which the Content-Security-Policy refuses.
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
