// Measures the PostgreSQL server's planning and run times of queries, by the number of bundles in a store.
//
//   npm run build && node bench/store/growth/main.mjs            100,000 bundles
//   node bench/store/growth/main.mjs 1000000 10000000            ten million take five minutes and 8 GB of disk
//   node bench/store/growth/main.mjs --shuffled 1000000          signed in another order than stored, as after an outage
//   node bench/store/growth/main.mjs --pglite 1000000            PGlite in a folder instead of PostgreSQL 15

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readPolicy } from 'alvarium-sdk/score'
import { openStore } from 'alvarium-sdk/store'
import pg from 'pg'
import { startPostgres } from '../../../tests/store/postgres.mjs'
import { medianOf } from '../../suites/blocks.mjs'
import { LINE, namesIn, statementsFor, TREE } from './rows.mjs'

const ROUNDS = 40
const { values, positionals } = parseArgs({
  options: {
    pglite: { type: 'boolean', default: false },
    shuffled: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})

for (const text of positionals.length > 0 ? positionals : ['100000']) {
  const bundles = Number(text)
  if (!(bundles >= 20_000)) throw new Error(`expected a number of bundles, 20000 or more, got ${text}`)
  const start = performance.now()
  const { client, close } = values.pglite ? await embedded() : await server()
  try {
    await measure(client, bundles, start)
  } finally {
    await close()
  }
}

/**
 * @typedef {object} Client
 * @property {(text: string, params?: unknown[]) => Promise<{ rows: any[] }>} query
 */

/** @param {Client} client @param {number} bundles @param {number} start */
async function measure(client, bundles, start) {
  /** SQL queries that the store ran. @type {(readonly [text: string, params: unknown[]])[]} */
  const asked = []
  const query = (/** @type {string} */ text, /** @type {unknown[]} */ params = []) => {
    asked.push([text, params])
    return client.query(text, params)
  }
  const store = await openStore({ query }, { keyring: [] })
  for (const statement of statementsFor(bundles, values.shuffled)) await client.query(statement)
  const seconds = Math.round((performance.now() - start) / 1000)
  console.log(`\n${bundles.toLocaleString('en-US')} bundles, made in ${seconds} s`)
  console.log(row('question', 'run, ms', 'plan, ms', 'call, ms'))
  for (const [name, ask] of questions(store, bundles)) {
    asked.length = 0
    await ask()
    const cost = await costOf(client, [...asked])
    console.log(row(name, ms(cost.run), ms(cost.plan), ms(await timeOf(ask))))
  }
  await store.close()
}

/** @param {import('alvarium-sdk/store').Store} store @param {number} bundles @returns {[string, () => Promise<unknown>][]} */
function questions(store, bundles) {
  const names = namesIn(bundles)
  const stacked = { policy: readPolicy({ version: 1, layers: 'stack' }) }
  const inherited = { policy: readPolicy({ version: 1, ancestors: 'product' }) }
  return [
    ['score of the payload alone', () => store.score(names.alone)],
    [`score, with ${TREE - 1} ancestors`, () => store.score(names.ofTree, inherited)],
    ['score, with layers stacked', () => store.score(names.alone, stacked)],
    ['about', () => store.about(names.alone)],
    ['history', () => store.history(names.alone)],
    [`lineage of ${TREE - 1} ancestors`, () => store.lineage(names.ofTree)],
    [`lineage of ${LINE - 1} in one line`, () => store.lineage(names.ofLine, { limit: LINE })],
    ['by a kind, common', () => store.by({ kind: names.kind.common })],
    ['by a tag, rare', () => store.by({ tag: names.tag.rare })],
    ['by host', () => store.by({ host: names.host })],
    ['by host and kind', () => store.by({ host: names.host, kind: names.kind.rarer })],
    ['by a tag that nobody uses', () => store.by({ tag: names.tag.unknown })],
    ['by time, late in the log', () => store.by({ at: { from: names.late } })],
    ['by a name of a signer', () => store.by({ signer: names.signer })],
    [
      'by signer, received late in the log',
      () => store.by({ signer: names.signer, received: { from: names.late } }),
    ],
    [
      'by signer, received from the middle',
      () => store.by({ signer: names.signer, received: { from: names.half } }),
    ],
    [
      'by time of receipt, middle',
      () => store.by({ received: { from: names.half, until: names.half + 60_000 } }),
    ],
    ['silent', () => store.silent({ since: names.end })],
    ['stats', () => store.stats()],
  ]
}

/**
 * Adds up the median times of the statements, measured by the server.
 *
 * @param {Client} client
 * @param {(readonly [string, unknown[]])[]} asked
 */
async function costOf(client, asked) {
  const sum = { run: 0, plan: 0 }
  // Run all statements in one transaction, because some set values with `set_config` that later ones read.
  // The values last only until the transaction ends.
  await client.query('begin')
  for (const [text, params] of asked.filter(([one]) => /^\s*(select|with)\b/i.test(one))) {
    const runs = []
    const plans = []
    for (let round = 0; round < ROUNDS; round++) {
      const { rows } = await client.query(
        `explain (analyze, timing off, summary on, format json) ${text}`,
        params,
      )
      const [told] = rows[0]['QUERY PLAN']
      runs.push(told['Execution Time'])
      plans.push(told['Planning Time'])
    }
    sum.run += medianOf(runs).median
    sum.plan += medianOf(plans).median
  }
  await client.query('rollback')
  return sum
}

/** Measures the time of a query for its caller. @param {() => Promise<unknown>} ask */
async function timeOf(ask) {
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    await ask()
    times.push(performance.now() - start)
  }
  return medianOf(times).median
}

/** @returns {Promise<{ client: Client, close: () => Promise<unknown> }>} */
async function server() {
  const postgres = await startPostgres('oldest')
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const close = async () => {
    await client.end()
    await postgres.stop()
  }
  return { client, close }
}

/** @returns {Promise<{ client: Client, close: () => Promise<unknown> }>} */
async function embedded() {
  const { PGlite } = await import('@electric-sql/pglite')
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-growth-'))
  const database = await PGlite.create(folder)
  const close = async () => {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { client: database, close }
}

/** @param {readonly [string, string, string, string]} cells */
function row(...[name, ...figures]) {
  return name.padEnd(34) + figures.map((one) => one.padStart(10)).join('')
}

/** @param {number} time */
function ms(time) {
  return time.toFixed(time < 10 ? 2 : 0)
}
