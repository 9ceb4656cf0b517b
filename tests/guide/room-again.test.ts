// @own-process: it counts the sources that the whole process reads

// Limits with waiting calls: each test reaches a limit, lets the waiting calls end in one of several ways, and checks
// that as many fit again.

import { readFileSync } from 'node:fs'
import type { Client } from 'aedes'
import { AlvariumError, keyOf, mqtt, type StreamProvider, source } from 'alvarium-sdk'
import { type PoolOptions, pool } from 'alvarium-sdk/pool'
import { hashing } from 'alvarium-sdk/sources'
import type { Store } from 'alvarium-sdk/store'
import { serveStore } from 'alvarium-sdk/store/serve'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { eachInAFolder, opened as openedFile } from '../support/file-stream.js'
import { memoryStore } from '../support/outbox-store.js'
import { opened as openedOutbox, outgoing } from '../support/outgoing.js'
import { closing } from '../support/receiving.js'
import { opened as openedSdk } from '../support/sdk.js'

eachInAFolder()

/** Rounds for a small and for a large capacity. If a place is lost in a round, the next round rejects one call more. */
const [ROUNDS, ROUNDS_OF_MANY] = [4, 2]

/** A limit, and its capacity. */
interface Room {
  readonly places: number
  /** Takes a place. Settles when it is free again. */
  enter(): Promise<unknown>
  /** Ends all calls that hold a place. */
  empty(): Promise<void> | void
}

/** Returns a gate that holds the calls of a round until it is opened. */
function turnstile() {
  let turn = deferred()
  let isOpen = false
  return {
    pass: () => turn.promise,
    open: () => {
      isOpen = true
      turn.resolve()
    },
    close: () => {
      if (isOpen) turn = deferred()
      isOpen = false
    },
  }
}

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'accepted',
    (error) => error.code ?? error.name,
  )

/** Enters until one call is rejected, ends the others, and returns how each ended. */
async function outcomesOf({ places, enter, empty }: Room): Promise<string[]> {
  const asked = Array.from({ length: places + 1 }, () => codeOf(enter()))
  await asked[places]
  await empty()
  return Promise.all(asked)
}

/** Opens an MQTT stream whose broker answers nothing until a round is over. */
async function mqttRoom(
  leave: 'acknowledged' | 'aborted' | 'timed out' | 'cut off',
  options: { maxQueuedMessages: number } | { maxQueuedBytes: number },
): Promise<Room> {
  const broker = await startBroker()
  onTestFinished(broker.close)
  const clients = new Set<Client>()
  broker.aedes.on('client', (client) => clients.add(client))
  let held: (() => void)[] | undefined = []
  broker.aedes.authorizePublish = (_client, _packet, done) =>
    held === undefined ? done(null) : held.push(() => done(null))
  const publishTimeoutMs = leave === 'timed out' ? 200 : 60_000
  const stream = closing(mqtt({ url: broker.url, topic: 't', publishTimeoutMs, ...options }))
  await stream.connect()
  let leaving = new AbortController()
  const answered = () => {
    const waiting = held ?? []
    held = undefined
    for (const answer of waiting) answer()
  }
  return {
    places: 3,
    enter: () => {
      held ??= []
      return stream.publish(new Uint8Array(1000), { signal: leaving.signal })
    },
    empty: async () => {
      if (leave === 'acknowledged') return answered()
      if (leave === 'cut off') {
        held = undefined
        for (const client of clients) client.close()
      }
      if (leave === 'aborted') leaving.abort(new AlvariumError('STREAM_LOST', 'no longer wanted'))
      leaving = new AbortController()
    },
  }
}

/** Opens an outbox of three messages, which leave by the answer of the stream or the disk. */
async function outboxRoom(leave: 'delivered' | 'refused' | 'not stored'): Promise<Room> {
  const store = memoryStore()
  const turns = turnstile()
  const stream = outgoing(async () => {
    await turns.pass()
    if (leave === 'refused') throw new AlvariumError('STREAM_REFUSED', 'not you')
  })
  if (leave === 'not stored') {
    store.append = async () => {
      await turns.pass()
      throw new Error('no space')
    }
  }
  const box = await openedOutbox({ stream, store, maxBytes: 3500 })
  return {
    places: 3,
    enter: async () => {
      turns.close()
      await (await box.publish(new Uint8Array(1000))).delivered
    },
    empty: turns.open,
  }
}

/** Opens a pool of three calls, which end, fail or are aborted. */
async function poolRoom(
  leave: 'done' | 'failed' | 'aborted',
  options: Omit<PoolOptions, 'workers'>,
): Promise<Room> {
  const workers = await pool({ workers: 1, ...options })
  const stream: StreamProvider = {
    publish: () =>
      leave === 'failed' ? Promise.reject(new AlvariumError('STREAM_REFUSED', 'not you')) : Promise.resolve(),
  }
  const { sdk } = await openedSdk([source()], { pool: workers, stream } as object)
  onTestFinished(async () => {
    await sdk.close()
    await workers.close()
  })
  let leaving = new AbortController()
  return {
    places: 3,
    enter: () => sdk.create(new Uint8Array(1000), { signal: leaving.signal }),
    empty: async () => {
      if (leave === 'aborted') leaving.abort(new AlvariumError('STREAM_LOST', 'no longer wanted'))
      leaving = new AbortController()
      // A worker finishes the call that it has begun.
      await expect.poll(() => workers.stats().queued).toBe(0)
    },
  }
}

/** Opens a file for which messages wait. */
async function fileRoom(leave: 'written' | 'aborted', maxQueuedBytes = 30): Promise<Room> {
  const stream = await openedFile({ maxQueuedBytes })
  let leaving = new AbortController()
  return {
    places: 3,
    enter: () => stream.publish(utf8('"1234567"'), { signal: leaving.signal }),
    empty: () => {
      if (leave === 'aborted') leaving.abort(new AlvariumError('STREAM_LOST', 'no longer wanted'))
      leaving = new AbortController()
    },
  }
}

/** Serves a store over HTTP, whose requests are answered, fail, or are aborted. */
function serveRoom(leave: 'answered' | 'failed' | 'aborted'): Room {
  const turns = turnstile()
  let leaving = new AbortController()
  const stats = async () => {
    await turns.pass()
    if (leave === 'failed') throw new AlvariumError('STORE_FAILED', 'it is away')
    return { quarantined: new Map() }
  }
  const handler = serveStore({ stats } as unknown as Store, { maxWaiting: 3 })
  return {
    places: 3,
    enter: async () => {
      turns.close()
      const response = await handler(new Request('http://localhost/stats', { signal: leaving.signal }))
      const { code } = (await response.json()) as { code?: string }
      if (code === 'QUEUE_FULL') throw new AlvariumError('QUEUE_FULL', 'it is full')
    },
    empty: () => {
      if (leave === 'aborted') leaving.abort()
      leaving = new AbortController()
      turns.open()
    },
  }
}

/** Reads as many sources as a thread may at a time: they end, break, or are aborted. */
function sourceRoom(leave: 'read' | 'broken' | 'aborted'): Room {
  let open: ReadableStreamDefaultController[] = []
  let leaving = new AbortController()
  return {
    places: 1024,
    enter: async () => {
      const stream = new ReadableStream({ start: (controller) => void open.push(controller) })
      return keyOf(stream, 'sha256', { signal: leaving.signal })
    },
    empty: () => {
      if (leave === 'aborted') leaving.abort(new AlvariumError('STREAM_LOST', 'no longer wanted'))
      leaving = new AbortController()
      for (const controller of open) {
        if (leave === 'read') controller.close()
        if (leave === 'broken') controller.error(new AlvariumError('STREAM_LOST', 'broken'))
      }
      open = []
    },
  }
}

/**
 * Passes on as many uploads as a thread may read at a time, each in a call: they complete, are cut off, or lose their
 * reader.
 */
function uploadRoom(leave: 'whole' | 'cut off' | 'left'): Room {
  let uploads: ReturnType<typeof hashing>[] = []
  const opening = openedSdk([source()])
  return {
    places: 1024,
    enter: async () => {
      const upload = hashing()
      uploads.push(upload)
      const { sdk } = await opening
      return sdk.transit(upload)
    },
    empty: async () => {
      const gone = new AlvariumError('STREAM_LOST', 'the client has gone')
      for (const { writable, readable } of uploads) {
        if (leave === 'whole') await Promise.all([writable.close(), readable.pipeTo(new WritableStream())])
        if (leave === 'cut off') await writable.abort(gone)
        if (leave === 'left') await readable.cancel(gone)
      }
      uploads = []
    },
  }
}

/** Capacities with no byte left, and with one byte too few for another item. */
const [NO_BYTE_LEFT, A_BYTE_SHORT] = ['done, with no byte left', 'done, a byte short of one more']

const ROOMS: Record<string, Record<string, () => Room | Promise<Room>>> = {
  'mqtt maxQueuedMessages': {
    acknowledged: () => mqttRoom('acknowledged', { maxQueuedMessages: 3 }),
    aborted: () => mqttRoom('aborted', { maxQueuedMessages: 3 }),
    'timed out': () => mqttRoom('timed out', { maxQueuedMessages: 3 }),
    'sent again': () => mqttRoom('cut off', { maxQueuedMessages: 3 }),
  },
  'mqtt maxQueuedBytes': {
    acknowledged: () => mqttRoom('acknowledged', { maxQueuedBytes: 3500 }),
    [NO_BYTE_LEFT]: () => mqttRoom('acknowledged', { maxQueuedBytes: 3000 }),
    [A_BYTE_SHORT]: () => mqttRoom('acknowledged', { maxQueuedBytes: 3999 }),
    aborted: () => mqttRoom('aborted', { maxQueuedBytes: 3500 }),
    'timed out': () => mqttRoom('timed out', { maxQueuedBytes: 3500 }),
    'sent again': () => mqttRoom('cut off', { maxQueuedBytes: 3500 }),
  },
  'outbox maxBytes': {
    delivered: () => outboxRoom('delivered'),
    'refused by the stream': () => outboxRoom('refused'),
    'not stored': () => outboxRoom('not stored'),
  },
  'pool maxQueuedCalls': {
    done: () => poolRoom('done', { maxQueuedCalls: 3 }),
    failed: () => poolRoom('failed', { maxQueuedCalls: 3 }),
    aborted: () => poolRoom('aborted', { maxQueuedCalls: 3 }),
  },
  'pool maxQueuedBytes': {
    done: () => poolRoom('done', { maxQueuedBytes: 3500 }),
    [NO_BYTE_LEFT]: () => poolRoom('done', { maxQueuedBytes: 3000 }),
    [A_BYTE_SHORT]: () => poolRoom('done', { maxQueuedBytes: 3999 }),
    failed: () => poolRoom('failed', { maxQueuedBytes: 3500 }),
    aborted: () => poolRoom('aborted', { maxQueuedBytes: 3500 }),
  },
  'file maxQueuedBytes': {
    written: () => fileRoom('written'),
    [NO_BYTE_LEFT]: () => fileRoom('written', 27),
    [A_BYTE_SHORT]: () => fileRoom('written', 35),
    aborted: () => fileRoom('aborted'),
  },
  'serveStore maxWaiting': {
    answered: () => serveRoom('answered'),
    failed: () => serveRoom('failed'),
    aborted: () => serveRoom('aborted'),
  },
  'sources that are read at a time in a thread': {
    read: () => sourceRoom('read'),
    broken: () => sourceRoom('broken'),
    aborted: () => sourceRoom('aborted'),
  },
  'sources that are read at a time, uploads through hashing() among them,': {
    'passed on whole': () => uploadRoom('whole'),
    'cut off': () => uploadRoom('cut off'),
    'left by its reader': () => uploadRoom('left'),
  },
}

/** Limits without waiting calls: on the size of one input, on memory, on the size of one batch. */
const WITHOUT_WAITING = [
  ...['openSdk batch.maxBundles', 'openSdk batch.maxDelayMs', 'openSdk batch.maxBytes'],
  ...['mqtt maxInFlight', 'outbox maxInFlight', 'outbox maxAgeMs', 'file maxBytes', 'file maxFiles'],
  ...['subscribe prefetch', 'subscribe dedup.max', 'groups max', 'groups maxMs', 'Keyring maxTableBytes'],
  ...[
    'completeness maxMessages',
    'check maxRecords',
    'openKeyList maxKeys',
    'openManifest maxRecords',
    'receive maxBytes',
  ],
  ...['verifyPack, readPack maxBytes', 'verifyPack, readPack maxStatements'],
  ...['openStore quarantine.maxBytes', 'openStore quarantine.maxDays', 'store.missing maxMessages'],
  ...['verifyRequest, pkiHttp maxAgeMs', 'the same with rfc9421 maxAgeMs', 'keyDirectory maxAgeSeconds'],
  'the same with web-bot-auth maxAgeMs',
  ...['jwkSetAt, agentKeys maxBytes', 'jwkSetAt, agentKeys maxKeys'],
]

it('each limit of limits.md either has a test in this file, or is listed here as a limit at which no calls wait', () => {
  const page = readFileSync('examples/guide/limits.md', 'utf8').split('\n## Messages')[0] as string
  const bounds = page.split('\n| **[').flatMap((section) => {
    const name = section.slice(0, section.indexOf(']')).replaceAll('`', '')
    const options = [...section.matchAll(/^\| `([\w.]*(?:max|prefetch)\w*)`/gim)]
    return options.map(([, option]) => `${name} ${option}`)
  })
  const tried = Object.keys(ROOMS).filter((room) => !room.startsWith('sources'))
  expect(new Set(bounds)).toEqual(new Set([...tried, ...WITHOUT_WAITING]))
})

describe.each(Object.entries(ROOMS))('the limit %s', (_, ways) => {
  it.each(Object.entries(ways))(
    'admits the same number of calls again after all waiting calls were %s',
    async (_, opened) => {
      const room = await opened()
      const first = await outcomesOf(room)
      expect(first.at(-1)).toBe('QUEUE_FULL')
      expect(first.slice(0, -1)).not.toContain('QUEUE_FULL')
      const rounds = room.places > 100 ? ROUNDS_OF_MANY : ROUNDS
      for (let round = 1; round < rounds; round++) expect(await outcomesOf(room)).toEqual(first)
    },
  )
})
