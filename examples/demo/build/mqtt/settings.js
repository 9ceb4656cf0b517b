import { fileURLToPath } from 'node:url'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Vite's settings that put mqtt.js together from its modules. */
export const alias = [
  { find: /^mqtt$/, replacement: here('client.js') },
  { find: /^buffer$/, replacement: 'buffer/' },
  { find: /^events$/, replacement: 'events/' },
  { find: /^process\/$/, replacement: here('process.js') },
  { find: /^debug$/, replacement: here('silent.cjs') },
  { find: /^worker-timers$/, replacement: here('no-timers.js') },
]
export const inject = { process: here('process.js'), Buffer: ['buffer/', 'Buffer'] }
