// Attacks the package as a stranger could, compares the verdicts of all paths, and prints times and memory.
//
//   npm run attack                       ≥ 1,000,000 crafted signatures for either core, ≥ 1,000,000 altered messages, trust policies, leases, leases that exceed their permissions, bundles that wait for leases, missing messages, hostile requests, files of CSV, a file of 1,000,000 records, sets, inputs, packs, lines of witnesses, a hostile operator, packs that cost time, verdicts, outputs, a store's database, shells, brokers
//   npm run attack -- --short            a minute for CI, in which other steps have the tests of four attacks
//   npm run attack -- --only signatures  or reference, algorithms, messages, policies, leases, overreach, waiting, completeness, http, csv, records, sets, inputs, packs, witnesses, operator, costs, verdicts, outputs, audit, shells, brokers
//   npm run attack -- --without http     all attacks except this one; --only and --without can be given several times
//   npm run attack -- --seed 7           repeats the choices of that run, on new messages; each run prints its seed
//   npm run attack -- --count 20000      this many inputs of each attack
//
// The exit code is 1 if two paths disagree, an input crashes, or a bound is exceeded.

import { fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const MIB = 1024 * 1024

/**
 * Defaults: inputs of a short and of a long run, and limits: memory of the process and of the core in MiB, and time of
 * one input in ms. Two thirds of the process's memory are Node itself and, with the signatures, two workers. Attacks
 * without `short` run as tests in other steps of CI, which have as many inputs there as a short run would.
 */
const ATTACKS = {
  signatures: { short: 30_000, long: 1_000_000, rss: 384, core: 24, slowest: 1000 },
  reference: { short: 20_000, long: 1_000_000, rss: 384, core: 24, slowest: 1000 },
  // Each takes a hundred times as long as Ed25519, on three or four paths.
  algorithms: { short: 1000, long: 30_000, rss: 384, core: 24, slowest: 1000 },
  messages: { short: 50_000, long: 1_000_000, rss: 384, core: 24, slowest: 1000 },
  // Each on every path, under its own policy and while that changes.
  policies: { short: 1000, long: 100_000, rss: 384, core: 24, slowest: 1000 },
  leases: { short: 500, long: 100_000, rss: 384, core: 24, slowest: 1000 },
  // Thirteen rows, therefore 100,000 of each; eight at a time.
  overreach: { short: 520, long: 1_300_000, rss: 384, core: 24, slowest: 10_000 },
  // Through a broker, to a subscription with the leases of an honest signer.
  waiting: { short: 1000, long: 100_000, rss: 384, core: 24, slowest: 2000 },
  // Each is signed, verified and watched twice: with faults and without.
  completeness: { short: 4000, long: 1_000_000, rss: 512, core: 24, slowest: 1000 },
  // The check compares the cost of each with that of an ordinary request.
  http: { short: 10_000, long: 100_000, rss: 384, core: 24, slowest: 1000 },
  csv: { short: 20_000, long: 100_000, rss: 384, core: 24, slowest: 1000 },
  // One file of this many records, and slow ones of as many. All files are in memory here, with their messages.
  records: { short: 20_000, long: 1_000_000, rss: 2048, core: 24, slowest: 120_000 },
  // One of each ten is forged; the verifier in Python is asked about a fifth of them.
  sets: { short: 3000, long: 1_200_000, rss: 512, core: 24, slowest: 1000 },
  // Python is asked about one of each ten.
  inputs: { short: 3000, long: 200_000, rss: 384, core: 24, slowest: 1000 },
  // Each has five messages, which are verified again with each change.
  packs: { short: 300, long: 100_000, rss: 384, core: 24, slowest: 1000 },
  // Python is asked about each.
  witnesses: { short: 2000, long: 100_000, rss: 384, core: 24, slowest: 1000 },
  // Twenty signers, whose messages are scored twice: genuine and after an attack. Each round has new ones.
  operator: { short: 2000, long: 1_000_000, rss: 512, core: 24, slowest: 1000 },
  // All in one test, which asks Python and two browsers about each. Half are packs, a quarter archives, a quarter
  // exports of stores.
  verdicts: { long: 20_000, rss: undefined, core: undefined, slowest: 7_200_000 },
  // Kinds of packs that cost time, each of 4 MiB.
  costs: { short: 6, long: 100, rss: 768, core: 24, slowest: 60_000 },
  // The commands run in processes of their own.
  outputs: { short: 15, long: 60, rss: undefined, core: undefined, slowest: 60_000 },
  // All in one test, in its own process.
  audit: { long: 10_000, rss: undefined, core: undefined, slowest: 3_600_000 },
  // For each shell.
  shells: { long: 10_000, rss: undefined, core: undefined, slowest: 600_000 },
  // The tests bound the memory themselves: the attack's process only starts them.
  brokers: { long: 1, rss: undefined, core: undefined, slowest: 60_000 },
}

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    without: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: `${randomInt(2 ** 32)}` },
    count: { type: 'string' },
  },
})

const isChosen = (name) =>
  values.only.includes(name) ||
  (values.only.length === 0 &&
    !values.without.includes(name) &&
    (!values.short || ATTACKS[name].short !== undefined))
const names = Object.keys(ATTACKS).filter(isChosen)
const areKnown = [...values.only, ...values.without].every((name) => name in ATTACKS)
if (
  !areKnown ||
  names.length === 0 ||
  ![values.seed, values.count ?? '1'].every((number) => /^\d{1,15}$/.test(number))
) {
  console.error(`expected --only ${Object.keys(ATTACKS).join(' or ')}, and numbers for --seed and --count`)
  process.exit(1)
}

console.log(`seed ${values.seed}`)
const rows = []
for (const name of names) rows.push(await attack(name))
console.log(`\n${rows.map(kindsOf).join('\n')}\n\n${table(rows)}`)
process.exitCode = rows.every(({ faults }) => faults.length === 0) ? 0 : 1

/** @param {keyof typeof ATTACKS} name */
async function attack(name) {
  const { short, long } = ATTACKS[name]
  const count = Number(values.count ?? (values.short ? (short ?? long) : long))
  console.log(`${name} …`)
  const start = performance.now()
  const report = await reportOf(name, count)
  const seconds = (performance.now() - start) / 1000
  for (const finding of report.findings) console.error(finding)
  return { name, ...report, seconds, faults: faultsOf(ATTACKS[name], report) }
}

/** Counts a process that ends without a report as a crash. */
function reportOf(name, count) {
  const child = fork(fileURLToPath(new URL('one.mjs', import.meta.url)), [name, values.seed, `${count}`], {
    execArgv: ['--max-semi-space-size=8'],
  })
  return new Promise((resolve) => {
    let report = {
      inputs: 0,
      verdicts: 0,
      disagreements: 0,
      crashes: 1,
      slowest: 0,
      rss: 0,
      core: 0,
      kinds: {},
    }
    report.findings = ['the process ended without a report']
    child.on('message', (message) => {
      if (message.report) report = message.report
      else console.log(`  ${name}: ${message.progress}`)
    })
    child.on('exit', () => resolve(report))
  })
}

function faultsOf(bound, { inputs, disagreements, crashes, rss, core, slowest }) {
  const faults = { 'no inputs': inputs === 0, disagreements: disagreements > 0, crashes: crashes > 0 }
  const over = { memory: rss > bound.rss * MIB, core: core > bound.core * MIB, slow: slowest > bound.slowest }
  return Object.entries({ ...faults, ...over }).flatMap(([name, isFault]) => (isFault ? [name] : []))
}

function kindsOf({ name, kinds }) {
  const lines = Object.entries(kinds).map(([kind, count]) => `  ${`${count}`.padStart(9)}  ${kind}`)
  return [`${name}, of these kinds:`, ...lines].join('\n')
}

function table(rows) {
  const head = [
    '',
    'inputs',
    'verdicts',
    'disagree',
    'crashes',
    'MiB of',
    'core',
    'of',
    'slowest ms',
    'of',
    's',
    '',
  ]
  const lines = rows.map(({ name, ...row }) => {
    const { rss, core, slowest } = ATTACKS[name]
    const memory = rss ? [`${mib(row.rss)} of ${rss}`, mib(row.core), core] : ['–', '–', '–']
    const slow = [row.slowest.toFixed(0), slowest]
    const counts = [row.inputs, row.verdicts, row.disagreements, row.crashes]
    return [name, ...counts, ...memory, ...slow, row.seconds.toFixed(1), row.faults.join(', ') || 'held']
  })
  return [head, ...lines].map((line) => line.map((cell, at) => padded(`${cell}`, at)).join('')).join('\n')
}

function mib(bytes) {
  return (bytes / MIB).toFixed(0)
}

function padded(cell, at) {
  return at === 0 || at === 11 ? cell.padEnd(12) : `${cell.padStart(11)} `
}
