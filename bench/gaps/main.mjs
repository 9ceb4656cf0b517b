// Measures how long each flow blocks the event loop:
//
// npm run gaps [-- --count 10000] [flow…]
//
// The result is the largest gap between ticks of a 5 ms timer. The caller's loop, which makes thousands of
// calls without waiting, is shown separately. A timer in an idle thread shows delays that the machine causes.
// On Linux, this thread's CPU time within a gap shows how much of the gap was our work.

import { parseArgs } from 'node:util'
import { FLOWS } from './flows.mjs'
import { startProbe } from './probe.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '10000' } },
})
const count = Number(values.count)
const unknown = positionals.find((name) => !Object.hasOwn(FLOWS, name))
if (!Number.isInteger(count) || count < 1 || unknown) {
  console.error(`expected --count of 1 or more, and flows of ${Object.keys(FLOWS).join(', ')}`)
  process.exit(1)
}

const probe = await startProbe()
console.log(
  "| flow | took ms | caller's own loop ms | largest gap behind it ms | CPU of this thread in one gap ms | gap of an idle thread ms |",
)
console.log('|---|---|---|---|---|---|')
for (const [name, open] of Object.entries(FLOWS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const { run, end } = await open(count)
  // Run once first, so that code is compiled and memory is allocated.
  await run()
  const { took, loop, gap, cpu, idle } = await probe.during(run)
  await end?.()
  const figures = [took, loop, gap, cpu, idle].map((ms) => (ms === undefined ? '' : ms.toFixed(1)))
  console.log(`| ${name} | ${figures.join(' | ')} |`)
}
await probe.end()
