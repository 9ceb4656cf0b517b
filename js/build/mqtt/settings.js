import { fileURLToPath } from 'node:url'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))

/**
 * The files that bundlers take in place of modules, to make one of mqtt.js. Without the files in place of the inside of readable-stream, it has
 * 9.6 kB of gzip more: script.js 232 kB in place of 222, and 230 is its bound (2026-11-29).
 */
export const alias = [
  { name: 'mqtt$', find: /^mqtt$/, replacement: here('client.js') },
  { name: 'buffer$', find: /^buffer$/, replacement: here('bytes.js') },
  { name: 'events$', find: /^events$/, replacement: 'events/' },
  { name: 'process/$', find: /^process\/$/, replacement: here('process.js') },
  { name: 'debug$', find: /^debug$/, replacement: here('silent.cjs') },
  { name: 'readable-stream$', find: /^readable-stream$/, replacement: here('streams.cjs') },
  { name: './duplexify$', find: /^\.\/duplexify$/, replacement: here('nothing.cjs') },
  { name: './end-of-stream$', find: /^\.\/end-of-stream$/, replacement: here('nothing.cjs') },
  { name: './add-abort-signal$', find: /^\.\/add-abort-signal$/, replacement: here('nothing.cjs') },
  { name: 'abort-controller$', find: /^abort-controller$/, replacement: here('nothing.cjs') },
  { name: './from$', find: /^\.\/from$/, replacement: here('nothing.cjs') },
  { name: '../../ours/errors$', find: /^\.\.\/\.\.\/ours\/errors$/, replacement: here('errors.cjs') },
  { name: './errors$', find: /^\.\/errors$/, replacement: here('errors.cjs') },
  { name: './util/inspect$', find: /^\.\/util\/inspect$/, replacement: here('nothing.cjs') },
  { name: 'string_decoder/$', find: /^string_decoder\/$/, replacement: here('nothing.cjs') },
  { name: '../validators$', find: /^\.\.\/validators$/, replacement: here('no-validators.cjs') },
  { name: 'rfdc/default$', find: /^rfdc\/default$/, replacement: here('packet-copy.cjs') },
  { name: 'lru-cache$', find: /^lru-cache$/, replacement: here('no-aliases.js') },
  { name: '../../package.json$', find: /^\.\.\/\.\.\/package\.json$/, replacement: here('nothing.cjs') },
  { name: 'worker-timers$', find: /^worker-timers$/, replacement: here('no-timers.js') },
]
/** @type {Record<string, string | [string, string]>} */
export const inject = { process: here('process.js'), Buffer: [here('bytes.js'), 'Buffer'] }
