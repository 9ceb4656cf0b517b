// Measures the hashing of sources:
//
// node bench/sources/main.mjs [--rounds 9] [--mib 1024] [runtime …]
//
// Node.js, Deno and Bun run in separate processes. Their CPU time and memory growth are compared with the
// same stream piped into the host's hash. In Chromium, Firefox and workerd, the package calls no streaming hash
// of the host, so the CPU time of all their processes is compared with the time in which the core hashes the
// same 64 MiB in memory. The contenders take turns.

import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pack } from '../../js/build/package/pack.mjs'
import { layOut } from '../../tests/matrix/project.mjs'
import { cpuOfDescendants } from './cpu.mjs'
import { openPage, openWorker } from './elsewhere.mjs'
import { compareProcesses } from './processes.mjs'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '9' }, mib: { type: 'string', default: '1024' } },
})
const rounds = Number(values.rounds)
const cache = join(tmpdir(), 'alvarium-sdk-matrix')
const own = async (name) => readFile(new URL(name, import.meta.url), 'utf8')
const folder = await layOut(
  {
    name: 'sources',
    packages: { bun: '1.4.5', deno: '2.9.6', miniflare: '4.20260426.0' },
    files: { 'ways.mjs': await own('ways.mjs'), 'process.mjs': await own('process.mjs') },
  },
  { tarball: pack(cache), cache },
)

const program = (name) => join(folder, 'node_modules/.bin', name)
const inProcesses = (...command) => compareProcesses(folder, command, { rounds, mib: Number(values.mib) })
const RUNTIMES = {
  node: () => inProcesses(process.execPath),
  deno: () => inProcesses(program('deno'), 'run', '--no-prompt', '--allow-all'),
  bun: () => inProcesses(program('bun')),
  chromium: async () => compareWays(await openPage(folder, 'chromium')),
  firefox: async () => compareWays(await openPage(folder, 'firefox')),
  workerd: async () => compareWays(await openWorker(folder)),
}
const unknown = positionals.find((name) => !(name in RUNTIMES))
if (unknown)
  throw new RangeError(`runtime: expected one of ${Object.keys(RUNTIMES).join(', ')}, got ${unknown}`)
for (const [name, measure] of Object.entries(RUNTIMES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  for (const line of await measure()) console.log(`${name}, ${line}`)
}

/** @param {{ run(way: string): Promise<unknown>, ways: string[], close(): Promise<void> }} place */
async function compareWays({ run, ways, close }) {
  const took = new Map(ways.map((way) => [way, 0]))
  // Discard the first round, which includes JIT compilation.
  for (let round = -1; round < rounds; round++) {
    for (const [way, before] of took) {
      const since = cpuOfDescendants()
      await run(way)
      if (round >= 0) took.set(way, before + cpuOfDescendants() - since)
    }
  }
  await close()
  const [[, core]] = took
  return [...took].map(
    ([way, ms]) => `${way}: ${(ms / rounds).toFixed(0)} ms, ${(core / ms).toFixed(3)} of the core's rate`,
  )
}
