// @slow: it copies a server

import { generateKey } from 'alvarium-sdk'
import { openStore, type Store } from 'alvarium-sdk/store'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { failure } from '../support/failure.js'
import { genuineMessages, payload } from '../support/messages.js'
import { keyring } from '../support/sdk.js'
import { startPostgres } from './postgres.mjs'

const WRITABLE = 'a database that can be written, and no replica'
const log = { origin: 'example.com/store-1', signingKey: generateKey().signingKey }

/** Starts a server, and a streaming standby of it. */
async function pair() {
  const primary = await startPostgres('oldest')
  onTestFinished(() => primary.stop())
  const before = await openStore(primary.url, { keyring, log })
  await before.close()
  const standby = await startPostgres('oldest', { primary })
  onTestFinished(() => standby.stop())
  const admin = new pg.Client({ connectionString: primary.url })
  await admin.connect()
  onTestFinished(() => admin.end())
  const caughtUp = () =>
    expect
      .poll(async () => {
        const { rows } = await admin.query(
          'select replay_lsn >= pg_current_wal_lsn() as is_there from pg_stat_replication',
        )
        return rows
      })
      .toEqual([{ is_there: true }])
  return { primary, standby, caughtUp }
}

async function answersOf(store: Store) {
  const messages: unknown[] = []
  for await (const one of store.export()) messages.push(one)
  return {
    score: await store.score(payload),
    why: await store.why(payload),
    about: await store.about(payload),
    history: await store.history(payload),
    lineage: await store.lineage(payload),
    found: await store.by({ kind: 'src' }),
    silent: await store.silent(),
    answers: await store.answers({ from: 0 }),
    missing: await store.missing({ since: 0 }),
    stats: await store.stats(),
    audit: await store.audit({ itself: true }),
    messages,
  }
}

// claim: store-operating-20
it('a hot standby answers as its primary does, and refuses what changes the store', async () => {
  const { primary, standby, caughtUp } = await pair()
  await using store = await openStore(primary.url, { keyring, log })
  const { create, ...others } = await genuineMessages()
  await store.ingest(Object.values(others))
  await store.checkpoint()
  await caughtUp()

  await using replica = await openStore(standby.url, { keyring, log })
  const answers = await answersOf(replica)
  expect(answers.audit.outcome).toBe('holds')
  expect(answers.about.bundles).toBeGreaterThan(0)
  expect(answers).toEqual(await answersOf(store))

  const changes = {
    ingest: () => replica.ingest([create]),
    copies: () => replica.ingest([others.mutate]),
    retry: () => replica.retryQuarantine(),
    prune: () => replica.prune({ before: Date.now() }),
    forget: () => replica.forget(payload),
  }
  for (const [name, change] of Object.entries(changes)) {
    const { code, message } = await failure(change)
    expect(`${name}: ${code}, ${message}`).toContain(`${name}: STORE_FAILED, store: expected ${WRITABLE}`)
  }

  await store.ingest([create])
  await caughtUp()
  expect(await failure(() => replica.checkpoint())).toMatchObject({ code: 'STORE_FAILED' })
  expect(await replica.history(payload)).toEqual(await store.history(payload))
})

it('openStore does not create a store on a standby server', async () => {
  const primary = await startPostgres('oldest')
  onTestFinished(() => primary.stop())
  const standby = await startPostgres('oldest', { primary })
  onTestFinished(() => standby.stop())
  const asked = await failure(() => openStore(standby.url, { keyring, create: false }))
  expect(asked).toMatchObject({ code: 'CONFIG_INVALID' })
  const error = await failure(() => openStore(standby.url, { keyring }))
  expect(error).toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining(WRITABLE) })
})
