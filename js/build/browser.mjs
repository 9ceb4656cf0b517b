// dist/browser: the package for pages without a bundler, and for bundlers that know nothing of package.json's `exports`.
// As one script with everything in it but the other algorithms, for a script tag, and as modules that import nothing but each other by relative
// paths, for an import map; these load mqtt.js only when it is wanted, and share the core with dist's other modules.

import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'

const shared = {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  config: false,
  tsconfig: false,
  dts: false,
  platform: 'browser',
  target: 'es2022',
  outDir: 'dist/browser',
  outExtensions: () => ({ js: '.js' }),
  clean: false,
  hash: false,
  minify: true,
  logLevel: 'error',
  deps: { alwaysBundle: [/./] },
  // The one that is put together of its modules is two thirds of what mqtt.js brings for browsers.
  alias: { mqtt: fileURLToPath(new URL('../../dist/platform/mqtt-workerd.js', import.meta.url)) },
  banner:
    '/*! alvarium-sdk (Apache-2.0), with mqtt, valibot, leven (MIT) and what they bring: see THIRD-PARTY-NOTICES.txt */',
}
/** A module as base64 stays the file that dist's rooms have: its place beside dist/browser is as beside them. */
const stays = (...rooms) => ({
  name: 'stays-beside',
  resolveId: (id, importer = '') => {
    const room = rooms.find((room) => importer.endsWith(`/dist/${room}/inline.js`))
    if (!room || !id.endsWith('/generated/inline.js')) return undefined
    return { id: `../${room}/generated/inline.js`, external: true }
  },
})
const pages = {
  default: 'dist/entries/default.js',
  pool: 'dist/pool/pool.js',
  outbox: 'dist/outbox/outbox.js',
  http: 'dist/http/http.js',
  trust: 'dist/trust/trust.js',
  verify: 'dist/entries/verify.js',
}

const relative = await build({
  ...shared,
  entry: pages,
  format: 'esm',
  plugins: [stays('core', 'algorithms')],
})
const script = await build({
  ...shared,
  entry: { script: 'dist/entries/script.js' },
  format: 'iife',
  globalName: 'alvarium',
  // Few pages need it, and a script finds what lies beside it.
  plugins: [stays('algorithms')],
  outputOptions: { codeSplitting: false, entryFileNames: '[name].js' },
})

/** What is in them. */
export const modules = [...relative, ...script].flatMap(({ chunks }) =>
  chunks.flatMap(({ moduleIds = [] }) => moduleIds),
)
