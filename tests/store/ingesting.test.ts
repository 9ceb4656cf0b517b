// @own-process: it stops the clock
import { generateKey, type Logger, memory, mqtt, openSdk, signBytes, source, subscribe } from 'alvarium-sdk'
import { type Ingested, openStore, type Store, type StoreOptions } from 'alvarium-sdk/store'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { genuineMessages } from '../support/messages.js'
import { key, keyring } from '../support/sdk.js'
import { until } from '../support/until.js'
import { type Postgres, startPostgres } from './postgres.mjs'

let server: Postgres
let owner: pg.Client
let broker: Awaited<ReturnType<typeof startMosquitto>>
beforeAll(async () => {
  broker = await startMosquitto()
  server = await startPostgres('oldest', { smallDiskMb: process.platform === 'linux' ? 24 : 0 })
})
beforeEach(async () => {
  owner = await connected()
  await owner.query('drop schema if exists alvarium cascade')
})
afterEach(() => owner.end())
afterAll(async () => {
  await server?.stop()
  await broker?.stop()
})

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function opened(options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore(server.url, { keyring, ...options })
  onTestFinished(() => store.close())
  return store
}

function subscribed(topic: string, clientId: string, logger?: Logger) {
  const where = { url: broker.tcpUrl, topic, clientId, keyring, ...(logger && { logger }) }
  const bundles = subscribe(where)
  onTestFinished(() => bundles.close())
  return bundles
}

/** Subscribes once, so that the broker keeps messages from now on. */
async function introduced(topic: string, clientId: string): Promise<void> {
  const bundles = subscribed(topic, clientId)
  await bundles.open()
  await bundles.close()
}

/** Publishes so many messages. The broker has accepted them. */
async function published(topic: string, count: number, payload = 'reading'): Promise<void> {
  const stream = mqtt({ url: broker.tcpUrl, topic })
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
  await Promise.all(Array.from({ length: count }, (_, at) => sdk.create(utf8(`${payload} ${at}`))))
  await sdk.close()
}

async function count(): Promise<number> {
  const { rows } = await owner.query('select count(*)::integer as count from alvarium.leaf')
  return rows[0].count
}

/** Ingests a topic until so many bundles are stored. */
async function storedUntil(store: Store, topic: string, clientId: string, most: number): Promise<Ingested> {
  const bundles = subscribed(topic, clientId)
  const ingesting = store.ingest(bundles)
  await Promise.race([ingesting, until(async () => (await count()) >= most)])
  await bundles.close()
  return ingesting
}

it('two ingesters with the same clientId lose nothing, and log that each needs a clientId of its own', async () => {
  await introduced('one-name', 'ingester')
  const told: string[] = []
  const warn = ({ reason = '' }: { reason?: string }) => void told.push(reason)
  const logger = { debug: () => {}, info: () => {}, warn, error: warn }
  const over = new AbortController()
  onTestFinished(() => over.abort())
  /** Restarts the ingest whenever it ends, as an operator's supervisor does. */
  const supervised = async (store: Store) => {
    while (!over.signal.aborted) {
      const where = { url: broker.tcpUrl, topic: 'one-name', clientId: 'ingester', keyring, logger }
      const bundles = subscribe({ ...where, signal: over.signal })
      await store.ingest(bundles).catch(({ message }) => told.push(message))
    }
  }
  const both = [await opened(), await opened()].map(supervised)
  await published('one-name', 500)
  await until(async () => (await count()) === 500)
  await until(() => told.some((line) => line.includes('each client needs its own')))
  over.abort()
  await Promise.all(both)
  expect(told.join()).toContain('another client may use the clientId "ingester": each client needs its own')
})

describe.skipIf(process.platform !== 'linux')('when the disk of the database is full', () => {
  beforeEach(async () => {
    await owner.query(`create tablespace small location '${server.smallDisk}'`)
    await owner.query('alter database postgres set default_tablespace = small')
  })
  afterEach(async () => {
    await owner.query('alter database postgres reset default_tablespace')
    await owner.query('drop schema alvarium cascade')
    await owner.query('drop tablespace small')
  })

  async function fill(): Promise<void> {
    await owner.query('create table ballast (text text) tablespace small')
    const more = 'insert into ballast select repeat(md5(one::text), 60) from generate_series(1, $1) one'
    for (const rows of [400, 40, 4]) {
      while (await owner.query(more, [rows]).then(() => true, isFull));
    }
  }
  const isFull = (error: { code?: string }) => {
    expect(error.code).toBe('53100')
    return false
  }

  it('an ingester logs the error, acknowledges nothing, and continues when there is room', async () => {
    const store = await opened()
    await introduced('full', 'full-ingester')
    await fill()
    await published('full', 1_000)
    const { code, message } = await failure(() => store.ingest(subscribed('full', 'full-ingester')))
    expect(code).toBe('STORE_FAILED')
    expect(message).toContain('No space left on device')
    const before = await count()
    await owner.query('drop table ballast')
    const { bundles, quarantined } = await storedUntil(store, 'full', 'full-ingester', 1_000)
    expect([before + bundles, quarantined]).toEqual([1_000, 0])
    expect((await store.audit()).verdict).toBe('consistent')
  })
})

it('after a restart of PostgreSQL, an ingester continues where it stopped', async () => {
  const store = await opened()
  await introduced('restarted', 'restarted-ingester')
  await published('restarted', 10)
  await storedUntil(store, 'restarted', 'restarted-ingester', 10)
  const ingesting = failure(() => store.ingest(subscribed('restarted', 'restarted-ingester')))
  await server.terminate()
  await published('restarted', 100, 'later')
  expect((await ingesting).code).toBe('STORE_FAILED')
  await server.start()
  await owner.end()
  owner = await connected()
  const { bundles, copies } = await storedUntil(store, 'restarted', 'restarted-ingester', 110)
  expect([bundles, copies]).toEqual([100, 0])
})

it('an ingester stores messages even if its logger throws', async () => {
  const broken = () => {
    throw new Error('the disk of the log is full')
  }
  const logger = { debug: broken, info: broken, warn: broken, error: broken }
  const store = await opened({ logger })
  await introduced('logged', 'logged-ingester')
  const stream = mqtt({ url: broker.tcpUrl, topic: 'logged' })
  await stream.connect()
  await stream.publish(utf8('no message'))
  await stream.close()
  await published('logged', 20)
  const bundles = subscribed('logged', 'logged-ingester', logger)
  const ingesting = store.ingest(bundles)
  await until(async () => (await count()) === 20)
  await bundles.close()
  expect((await ingesting).bundles).toBe(20)
  await endOthers()
  // The lost connection is logged, too.
  const stored = () =>
    store.stats().then(
      (stats) => stats.bundles,
      () => 'no answer yet',
    )
  await until(async () => (await stored()) === 20)
})

async function endOthers(): Promise<void> {
  await owner.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
  )
}

it('a store whose connection is lost does not continue the transaction over a new connection', async () => {
  const { verifyingKey, signingKey } = generateKey()
  let [ends, losses] = [false, 0]
  const sign = async (bytes: Uint8Array) => {
    if (ends) await endOthers()
    // If the transaction went on over another connection, its later rows would be stored without the tiles from
    // before.
    await until(() => !ends || losses > 0)
    ends = false
    return signBytes(signingKey, bytes)
  }
  const logger = { debug: () => {}, info: () => {}, warn: () => void losses++, error: () => {} }
  const log = { origin: 'example.com/store', signingKey: { verifyingKey, sign }, everyMs: 3_600_000 }
  const store = await opened({ log, logger })
  await store.ingest(Object.values(await genuineMessages()))
  ends = true
  expect((await failure(() => store.checkpoint())).code).toBe('STORE_FAILED')
  expect((await store.checkpoint()).size).toBe(4)
  expect((await store.audit()).verdict).toBe('consistent')
})

it('a store empties its cache of the database ids of hosts, kinds and tags when its connection is lost', async () => {
  let losses = 0
  const logger = { debug: () => {}, info: () => {}, warn: () => void losses++, error: () => {} }
  const store = await opened({ logger })
  await store.ingest([await messageOf('edge-9', 'a')])
  await endOthers()
  await until(() => losses > 0)
  // Replace the database, as a restored older backup does.
  await owner.query('drop schema alvarium cascade')
  const other = await opened()
  await other.ingest([await messageOf('edge-12', 'b')])
  await store.ingest([await messageOf('edge-9', 'c')])
  for (const one of [store, other]) {
    const { bundles } = await one.by({ host: 'edge-9' })
    expect(bundles.map(({ host, key: name }) => [host, name])).toEqual([['edge-9', 'c']])
  }
})

/** Returns a bundle of a host about a payload whose key is a text. */
async function messageOf(host: string, text: string): Promise<Uint8Array> {
  const stream = memory()
  const options = { signingKey: key.signingKey, annotators: [source()], stream, host, hash: 'none' } as const
  const sdk = await openSdk(options)
  await sdk.create(utf8(text))
  await sdk.close()
  return stream.messages[0] as Uint8Array
}

describe.skipIf(process.platform === 'win32')('a database that does not answer', () => {
  /** Returns a store whose connection is cut, as by a firewall. */
  async function cutOff(): Promise<Store> {
    const store = await opened({ queryTimeoutMs: 100 })
    const others =
      "select pid from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'"
    for (const { pid } of (await owner.query(others)).rows) {
      process.kill(pid, 'SIGSTOP')
      onTestFinished(() => void process.kill(pid, 'SIGCONT'))
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    return store
  }

  /** Returns how it ends, in less than the hour that a statement of an audit may take. */
  async function ended(running: Promise<unknown>): Promise<unknown> {
    let end: unknown
    const over = (one: unknown) => {
      end = one
    }
    running.then(() => over('over'), over)
    for (let second = 0; end === undefined && second < 3_000; second++)
      await vi.advanceTimersByTimeAsync(1_000)
    return end
  }

  it('makes a query reject with STORE_FAILED in time, and the next query gets another connection', async () => {
    const store = await cutOff()
    expect(await ended(store.stats())).toMatchObject({ code: 'STORE_FAILED' })
    expect((await store.stats()).bundles).toBe(0)
  })

  it('makes an ingest reject with STORE_FAILED, and the next ingest stores the messages', async () => {
    const store = await cutOff()
    const messages = Object.values(await genuineMessages())
    expect(await ended(store.ingest(messages))).toMatchObject({ code: 'STORE_FAILED' })
    expect(await store.ingest(messages)).toMatchObject({ bundles: 4 })
  })

  it('does not prevent a store from being closed', async () => {
    const store = await cutOff()
    const auditing = failure(() => store.audit())
    await vi.advanceTimersByTimeAsync(0)
    expect(await ended(store.close())).toBe('over')
    expect((await auditing).code).toBe('STORE_FAILED')
  })
})

it('a store retries rows that were in a deadlock with another transaction, and stores each bundle once', async () => {
  await owner.query("alter database postgres set deadlock_timeout = '2s'")
  const store = await opened()
  const rival = await connected()
  onTestFinished(() => rival.end())
  // PostgreSQL ends a transaction that waits longer than its deadlock_timeout: the store's, not this one.
  await rival.query("set deadlock_timeout = '1h'")
  await rival.query('begin')
  await rival.query('lock table alvarium.leaf in access exclusive mode')
  const ingesting = store.ingest(Object.values(await genuineMessages()))
  const waiting =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%alvarium.leaf%'"
  await until(async () => (await owner.query(waiting)).rows.length > 0)
  await rival.query('select * from alvarium.head for update')
  await rival.query('rollback')
  await owner.query('alter database postgres reset deadlock_timeout')
  expect(await ingesting).toMatchObject({ bundles: 4, copies: 0, quarantined: 0 })
})

describe('a transaction that the database aborts because of a serialization conflict', () => {
  /** Makes so many transactions fail. A sequence also counts transactions that are rolled back. */
  async function fails(times: number): Promise<void> {
    await owner.query(`
      create sequence alvarium.tries;
      create function alvarium.fail() returns trigger language plpgsql as $$ begin
        if nextval('alvarium.tries') <= ${times} then raise sqlstate '40001' using message = 'in the way'; end if;
        return null;
      end $$;
      create trigger fail after insert on alvarium.leaf for each statement execute function alvarium.fail()`)
  }

  it('is retried', async () => {
    const store = await opened()
    await fails(4)
    expect(await store.ingest(Object.values(await genuineMessages()))).toMatchObject({
      bundles: 4,
      copies: 0,
    })
  })

  it('is not retried more than five times, and then nothing is stored', async () => {
    const store = await opened()
    await fails(5)
    const all = Object.values(await genuineMessages())
    const { code, message } = await failure(() => store.ingest(all))
    expect([code, message]).toEqual(['STORE_FAILED', expect.stringContaining('in the way')])
    expect(await count()).toBe(0)
    expect(await store.ingest(all)).toMatchObject({ bundles: 4, copies: 0 })
  })
})
