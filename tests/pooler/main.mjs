// Two stores behind one PgBouncer (pooling by transaction), which switches to an older copy of the database at
// random, as after a failover to a replica that was behind: each accepted bundle is stored under its own names, or
// belongs to the part that the copy lacks.
//
//   node tests/pooler/main.mjs                  four rounds
//   node tests/pooler/main.mjs --full           100 rounds
//   node tests/pooler/main.mjs --count 5 --seed 7
//
// PgBouncer must be installed (Debian: pgbouncer). The exit code is 1 if there was a fault; each is shown with its
// seed.

import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'
import pg from 'pg'
import { freePort } from '../../examples/broker/ports.mjs'
import { ensure, find } from '../../js/build/debian.mjs'
import { randomFrom } from '../damage/random.mjs'
import { startPostgres } from '../store/postgres.mjs'

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
})
const count = Number(values.count ?? (values.full ? 100 : 4))
const utf8 = new TextEncoder()
const signers = [0, 1, 2, 3].map(() => generateKey())
const keyring = signers.map(({ verifyingKey }) => verifyingKey)

ensure(['pgbouncer'], ['pgbouncer'], 'The trial needs a pooler')
const server = await startPostgres('oldest')
const admin = new pg.Client({ connectionString: server.url })
await admin.connect()
const { port: serverPort } = new URL(server.url)
const folder = mkdtempSync('/tmp/alvarium-pooler-')
chmodSync(folder, 0o777)
const port = await freePort()
const pointAt = (/** @type {string} */ database) =>
  writeFileSync(
    join(folder, 'ini'),
    `[databases]\nstore = host=127.0.0.1 port=${serverPort} user=postgres dbname=${database}\n[pgbouncer]\nlisten_addr=127.0.0.1\n` +
      `listen_port=${port}\nunix_socket_dir=\nauth_type=any\nadmin_users=postgres\npool_mode=transaction\nlogfile=${folder}/log\n`,
  )
pointAt('postgres')
const asNobody =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
const [program = '', ...args] = [...asNobody, find('pgbouncer') ?? 'pgbouncer', join(folder, 'ini')]
const pooler = spawn(program, args, { stdio: 'ignore' })
const control = (/** @type {string} */ command) =>
  execFileSync(
    'psql',
    ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres', '-q', 'pgbouncer', '-c', command],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )

/** Signs some messages with a tag and a kind each. @param {import('../damage/random.mjs').Random} random @param {string} round */
async function messages(random, round) {
  const stream = memory()
  const sent = []
  for (let left = 1 + random(4); left > 0; left--) {
    const [signer, tag] = [random(signers.length), `tag ${random(12)}`]
    const annotators = [source(), { kind: `kind ${random(12)}`, isSatisfied: () => true }]
    const { signingKey } = /** @type {{ signingKey: Uint8Array }} */ (signers[signer])
    const sdk = await openSdk({ signingKey, annotators, stream, tag, host: `host ${random(12)}` })
    const { id } = await sdk.create(utf8.encode(`${round} ${random(2 ** 30)}`))
    sent.push({ id, tag })
    await sdk.close()
  }
  return { sent, messages: stream.messages }
}

/** @param {number} seed */
async function round(seed) {
  const random = randomFrom(seed)
  const [first, copy] = [`first_${seed}`, `copy_${seed}`]
  await admin.query(`create database ${first}`)
  pointAt(first)
  control('RELOAD')
  const url = `postgres://postgres@127.0.0.1:${port}/store`
  const stores = [await openStore(url, { keyring }), await openStore(url, { keyring })]
  /** @type {Map<string, string>} tags by the ids of accepted bundles */
  const accepted = new Map()
  const ingest = async (/** @type {number} */ times) => {
    const ids = []
    for (; times > 0; times--) {
      const store = /** @type {import('alvarium-sdk/store').Store} */ (stores[random(2)])
      const { sent, messages: some } = await messages(random, `${seed}`)
      const { bundles } = await store.ingest(some)
      if (bundles !== sent.length) throw new Error(`accepted ${bundles} of ${sent.length}`)
      for (const { id, tag } of sent) accepted.set(id, tag)
      ids.push(...sent.map(({ id }) => id))
      await store.by({ tag: `tag ${random(12)}` })
    }
    return ids
  }
  await ingest(1 + random(4))
  control('PAUSE store')
  await admin.query(`create database ${copy} template ${first}`)
  control('RESUME store')
  const lost = new Set(await ingest(1 + random(4)))
  pointAt(copy)
  control('RELOAD')
  control('RECONNECT store')
  await ingest(1 + random(6))
  const faults = []
  for (const store of stores) {
    /** @type {Set<string>} */
    const found = new Set()
    for (let at = 0; at < 12; at++) {
      const { bundles } = await store.by({ tag: `tag ${at}` })
      for (const { id } of bundles) {
        found.add(id)
        if (accepted.get(id) !== `tag ${at}`) faults.push(`${id} has another tag`)
      }
    }
    for (const id of accepted.keys())
      if (found.has(id) === lost.has(id)) faults.push(`${id} is not where it belongs`)
    const { differences } = await store.audit({ itself: true })
    faults.push(...differences.map(({ table, row, what }) => `audit: ${table} ${row} ${what}`))
  }
  for (const store of stores) await store.close()
  return { accepted: accepted.size, lost: lost.size, faults }
}

const sums = { accepted: 0, lost: 0, faults: 0 }
try {
  for (let seed = Number(values.seed); seed < Number(values.seed) + count; seed++) {
    const { accepted, lost, faults } = await round(seed)
    sums.accepted += accepted
    sums.lost += lost
    sums.faults += faults.length
    for (const fault of faults) console.log(`seed ${seed}: ${fault}`)
  }
} finally {
  pooler.kill('SIGKILL')
  await admin.end()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
console.table([{ rounds: count, ...sums, stored: sums.accepted - sums.lost }])
process.exitCode = sums.faults > 0 ? 1 : 0
