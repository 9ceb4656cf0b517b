// npm run gaps [-- --count 10000] [flow…]
//
// How long each flow keeps the event loop to itself: a timer of 5 ms beside it, and its largest gap. A loop of the caller's own, in which
// it makes thousands of calls without waiting for one, is told apart. What the machine does meanwhile
// is told by a timer in a thread that has nothing to do, and by the CPU time of this thread within one gap (on Linux): a gap that
// is longer than that was not ours.

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
  // Compiled, and with the memory that it needs.
  await run()
  const { took, loop, gap, cpu, idle } = await probe.during(run)
  await end?.()
  const figures = [took, loop, gap, cpu, idle].map((ms) => (ms === undefined ? '' : ms.toFixed(1)))
  console.log(`| ${name} | ${figures.join(' | ')} |`)
}
await probe.end()
