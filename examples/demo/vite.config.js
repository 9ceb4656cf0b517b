import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defineConfig } from 'vite'
import { alias, inject } from '../../js/build/mqtt/settings.js'
import packageJson from '../../package.json' with { type: 'json' }
import { samples } from './build/samples.mjs'

const { homepage, repository } = packageJson
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Chunks whose own names say nothing: `build/build.mjs` tells what is loaded for a trust policy alone. */
const CHUNKS = { yaml: '/node_modules/yaml/', trust: '/dist/trust/opened.js' }

/** @param {string[]} modules */
const nameOfChunk = (modules) =>
  Object.entries(CHUNKS).find(([, path]) => modules.some((id) => id.includes(path)))?.[0] ?? '[name]'

/** `#samples`: what `build/samples.mjs` gives, as a module. */
const samplesModule = () => ({
  name: 'alvarium-samples',
  // Before Vite looks for it in package.json.
  enforce: /** @type {const} */ ('pre'),
  resolveId: (id) => (id === '#samples' ? '\0samples' : undefined),
  load: (id) => (id === '\0samples' ? `export default ${JSON.stringify(samples())}` : undefined),
})

/** Leaves a placeholder out: it leads nowhere (RFC 6761, 6.4). @param {string} name @param {string} address */
const linkTo = (name, address) => (new URL(address).hostname.endsWith('.invalid') ? {} : { [name]: address })

/** Modes: `broker` (MQTT over WebSocket) and `serverless` (from worker to worker inside the page). */
export default defineConfig(({ mode }) => ({
  root: here('.'),
  // Relative, so that the page can be put into any folder of any web server.
  base: './',
  plugins: [samplesModule()],
  resolve: {
    conditions: ['alvarium-wasm', ...defaultClientConditions],
    alias: [
      {
        find: '#transport',
        replacement: here(mode === 'serverless' ? 'transport/in-page.ts' : 'transport/broker.ts'),
      },
      // The package's exports leave its files out.
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
    // Inlined as data: URLs, assets would be refused by the Content-Security-Policy.
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
