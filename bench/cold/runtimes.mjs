// Compares cold starts from the tarball with a start that does nothing:
//
// node bench/cold/runtimes.mjs [rounds] [runtime …]
//
// Runs in processes of Node.js, Deno and Bun, in workerd, and in a Chromium page with cached files. For
// comparison, also imports mqtt, and makes a key pair and a signature with @noble/ed25519. The programs of a
// runtime take turns.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack } from '../../js/build/package/pack.mjs'
import { layOut } from '../../tests/matrix/project.mjs'
import { median } from './median.mjs'
import { openPages } from './pages.mjs'
import { inProcess } from './processes.mjs'
import { openWorkerd } from './workerd.mjs'

const [, , rounds = '15', ...named] = process.argv
const cache = join(tmpdir(), 'alvarium-sdk-matrix')

/** Programs to start. Each one ends when its work is done. */
const STARTS = {
  nothing: '',
  'import alvarium-sdk': "await import('alvarium-sdk')",
  'import mqtt': "await import('mqtt')",
  'a first signature': `const { generateKey, memory, openSdk, source } = await import('alvarium-sdk')
const sdk = await openSdk({ signingKey: generateKey().signingKey, annotators: [source()], stream: memory() })
await sdk.create(new Uint8Array(100))
await sdk.close()`,
  "noble's": `const { keygenAsync, signAsync } = await import('@noble/ed25519')
const { secretKey } = await keygenAsync()
await signAsync(new Uint8Array(400), secretKey)`,
}

const folder = await layOut(
  {
    name: 'cold',
    packages: { '@noble/ed25519': '3.2.0', bun: '1.4.5', deno: '2.9.6', miniflare: '4.20260426.0' },
    files: {},
  },
  { tarball: pack(cache), cache },
)
const program = (name) => join(folder, 'node_modules/.bin', name)
const OPEN = {
  node: () => inProcess(folder, process.execPath),
  'node, compile cache': () =>
    inProcess(folder, process.execPath, [], { NODE_COMPILE_CACHE: join(folder, 'cache') }),
  deno: () => inProcess(folder, program('deno'), ['run', '--no-prompt', '--allow-all']),
  bun: () => inProcess(folder, program('bun')),
  workerd: () => openWorkerd(folder),
  chromium: () => openPages(folder),
}
const unknown = named.find((name) => !(name in OPEN))
if (unknown) throw new RangeError(`runtime: expected one of ${Object.keys(OPEN).join(', ')}, got ${unknown}`)

console.log(`| ms over a start that does nothing | ${Object.keys(STARTS).slice(1).join(' | ')} |`)
console.log(`|---|${'---|'.repeat(Object.keys(STARTS).length - 1)}`)
for (const [name, open] of Object.entries(OPEN)) {
  if (named.length === 0 || named.includes(name)) await showRow(name, await open())
}

/**
 * Measures a runtime and prints its row.
 *
 * @param {string} name
 * @param {{ started(code: string): Promise<{ clock: number, cpu?: number } | undefined>, close():
 * Promise<void> }} runtime `started` returns undefined if the runtime cannot run the code
 */
async function showRow(name, { started, close }) {
  const times = Object.keys(STARTS).map(() => [])
  // Discard the first round, which fills caches.
  for (let round = -1; round < Number(rounds); round++) {
    for (const [at, code] of Object.values(STARTS).entries()) {
      const took = await started(code)
      if (took && round >= 0) times[at].push(took)
    }
  }
  await close()
  for (const [of, kind] of Object.entries({ clock: '', cpu: ', CPU' })) {
    const [nothing, ...others] = times.map((all) => median(all.map((one) => one[of])))
    const cells = others.map((ms) => (ms === undefined ? '–' : (ms - nothing).toFixed(1)))
    if (nothing !== undefined) console.log(`| ${name}${kind} | ${cells.join(' | ')} |`)
  }
}
