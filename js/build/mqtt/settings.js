import { fileURLToPath } from 'node:url'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Replacements for packages that mqtt.js imports, for bundling mqtt.js into one module. */
export const alias = [
  { name: 'mqtt$', find: /^mqtt$/, replacement: here('client.js') },
  { name: 'buffer$', find: /^buffer$/, replacement: here('bytes.js') },
  { name: 'events$', find: /^events$/, replacement: 'events/' },
  { name: 'process/$', find: /^process\/$/, replacement: here('process.js') },
  { name: 'debug$', find: /^debug$/, replacement: here('silent.cjs') },
  { name: 'abort-controller$', find: /^abort-controller$/, replacement: here('nothing.cjs') },
  { name: 'string_decoder/$', find: /^string_decoder\/$/, replacement: here('nothing.cjs') },
  { name: 'rfdc/default$', find: /^rfdc\/default$/, replacement: here('packet-copy.cjs') },
  { name: 'lru-cache$', find: /^lru-cache$/, replacement: here('no-aliases.js') },
  { name: '../../package.json$', find: /^\.\.\/\.\.\/package\.json$/, replacement: here('nothing.cjs') },
  { name: 'worker-timers$', find: /^worker-timers$/, replacement: here('no-timers.js') },
]
/** @type {Record<string, string | [string, string]>} */
export const inject = { process: here('process.js'), Buffer: [here('bytes.js'), 'Buffer'] }
