// @own-process: it counts unhandled rejections of the process
// @node-only: it sets up brokers and looks into them

import { type CheckBrokerOptions, checkBroker } from 'alvarium-command/doctor'
import { connect } from 'mqtt'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Broker, startBroker } from '../../examples/broker/broker.mjs'
import { startImpostor } from '../brokers/impostor.js'
import { packet, startScripted } from '../brokers/scripted.js'
import { unhandledRejections } from '../plug-ins/faults.js'

async function watched() {
  const broker = await startBroker()
  onTestFinished(broker.close)
  const seen = { clients: new Set<string>(), topics: new Set<string>() }
  broker.aedes.on('client', ({ id }) => seen.clients.add(id))
  broker.aedes.on('publish', ({ topic }, client) => {
    if (client) seen.topics.add(topic)
  })
  return { broker, seen }
}

/** Returns the sessions that the broker keeps of these clients, and its retained messages. */
async function left({ tcpUrl }: Broker, clients: ReadonlySet<string>) {
  const sessions = []
  for (const clientId of clients) {
    if (await hasSession(tcpUrl, clientId)) sessions.push(clientId)
  }
  return { sessions, retained: await retainedAt(tcpUrl) }
}

function hasSession(url: string, clientId: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const client = connect(url, { clientId, clean: false, reconnectPeriod: 0 })
    client.on('error', reject)
    client.on('connect', ({ sessionPresent }) => client.end(true, () => resolve(sessionPresent)))
  })
}

/** Returns the topics of retained messages, which arrive before a marker. */
async function retainedAt(url: string): Promise<string[]> {
  const client = connect(url, { reconnectPeriod: 0 })
  const topics: string[] = []
  const marked = new Promise<void>((resolve) => {
    client.on('message', (topic, _, { retain }) => {
      if (retain) topics.push(topic)
      if (topic === 'marker') resolve()
    })
  })
  await client.subscribeAsync(['alvarium-doctor/#', 'marker'])
  await client.publishAsync('marker', 'm', { qos: 1 })
  await marked
  await client.endAsync(true)
  return topics
}

const NOTHING = { sessions: [], retained: [] }

describe('a check of a broker', () => {
  // claim: threats-54
  it('publishes only under its own random topic, and leaves no session and no retained message on the broker', async () => {
    const { broker, seen } = await watched()
    await checkBroker({ url: broker.url, messages: 20 })
    const roots = new Set([...seen.topics].map((topic) => topic.split('/').slice(0, 2).join('/')))
    expect([...roots]).toEqual([expect.stringMatching(/^alvarium-doctor\/[0-9a-f]{12}$/)])
    expect([...seen.clients].filter((id) => !id.startsWith('alvarium-doctor-'))).toEqual([])
    expect(await left(broker, seen.clients)).toEqual(NOTHING)
  })

  // claim: delivery-48
  it.each<[when: string, options: Pick<CheckBrokerOptions, 'promises' | 'messages'>, step: RegExp]>([
    ['while it publishes for a subscriber that is away', { messages: 50 }, /subscriber that is away/],
    ['while the subscriber is back', { messages: 50 }, /that the broker has kept/],
    ['after a retained message', { promises: ['retained', 'large-message'] }, /message of \d+ bytes/],
  ])(
    'leaves no session and no retained message on the broker when it is interrupted %s',
    async (_, options, step) => {
      const { broker, seen } = await watched()
      const stop = new AbortController()
      const onProgress = (progress: { step: string }) => {
        if (step.test(progress.step)) stop.abort(new Error('enough'))
      }
      const check = checkBroker({ url: broker.url, ...options, signal: stop.signal, onProgress })
      await expect(check).rejects.toThrow('enough')
      expect(await left(broker, seen.clients)).toEqual(NOTHING)
    },
  )

  it('leaves no session on the broker when it is interrupted before the broker answers the first CONNECT', async () => {
    const sessions = new Set<string>()
    const stop = new AbortController()
    // The embedded broker reports no session if that has no subscriptions.
    const broker = await startScripted({
      connect: ({ body, text }) => {
        const clientId = /alvarium-doctor-[\w-]+/.exec(text)?.[0] ?? ''
        const [version = 0, flags = 0] = body.slice(6)
        const isClean = (flags & 2) !== 0
        sessions[isClean ? 'delete' : 'add'](clientId)
        if (stop.signal.aborted) return packet('connack', version === 5 ? [0, 0, 0] : [0, 0])
        stop.abort(new Error('enough'))
        return undefined
      },
    })
    onTestFinished(broker.stop)
    await expect(checkBroker({ url: broker.url, signal: stop.signal })).rejects.toThrow('enough')
    expect([await broker.hears('connect', 2), sessions]).toEqual([expect.anything(), new Set()])
  })

  it('continues with its other tests when the broker disconnects a client, and leaves no session or message', async () => {
    const { broker, seen } = await watched()
    let backlog = 0
    broker.aedes.authorizePublish = (_client, { topic }, done) => {
      const isRefused = topic.endsWith('/backlog') && ++backlog > 10
      done(isRefused ? new Error('refused') : null)
    }
    const report = await checkBroker({ url: broker.url, messages: 50 })
    expect(report.failures).toEqual([
      {
        step: 'messages for a subscriber that is away',
        reason: expect.stringContaining('the broker ended the connection'),
      },
    ])
    const holds = Object.fromEntries(report.promises.map(({ name, holds }) => [name, holds]))
    expect(holds).toMatchObject({ 'subscriber-killed': 'unknown', retained: 'yes' })
    expect(await left(broker, seen.clients)).toEqual(NOTHING)
  })

  it('reports its findings so far at timeoutMs, and leaves no session and no retained message on the broker', async () => {
    const { broker, seen } = await watched()
    // The disconnected subscriber's messages are never acknowledged.
    broker.aedes.authorizePublish = (_client, { topic }, done) => {
      if (!topic.endsWith('/backlog')) done(null)
    }
    const report = await checkBroker({ url: broker.url, promises: ['accepted', 'order'], timeoutMs: 4_000 })
    expect(report).toMatchObject({ verdict: 'unknown', facts: { backlog: undefined } })
    expect(report.promises[1]?.because).toContain('the checks took longer than 4000 ms')
    expect(await left(broker, seen.clients)).toEqual(NOTHING)
  })

  it('ignores errors and rejections of a progress callback', async () => {
    const { broker } = await watched()
    const unhandled = unhandledRejections()
    let calls = 0
    const onProgress = () => {
      const problem = new Error('not my problem')
      if (++calls % 2) throw problem
      return Promise.reject(problem) as unknown as undefined
    }
    const report = await checkBroker({ url: broker.url, promises: ['accepted'], onProgress })
    expect(report.verdict).toBe('yes')
    expect(calls).toBeGreaterThan(1)
    expect(unhandled).toEqual([])
  })
})

describe('checkBroker', () => {
  it.each([
    ['says nothing', 'timeoutMs'],
    ['hangs up', 'without an answer'],
    ['is a web server', 'url'],
  ] as const)('ends in time if the server is not a broker, and %s', async (manner, said) => {
    const impostor = await startImpostor(manner)
    onTestFinished(impostor.stop)
    const check = checkBroker({
      url: `mqtt://${impostor.host}`,
      timeoutMs: manner === 'says nothing' ? 500 : 60_000,
    })
    await expect(check).rejects.toMatchObject({
      code: expect.stringMatching(/^STREAM_(UNREACHABLE|TIMEOUT)$/),
      message: expect.stringContaining(said),
    })
  })

  it.each([
    [{ url: 'http://localhost' }, 'url: expected a URL with'],
    [{ url: 'ws://localhost', messages: 0 }, 'messages: expected an integer from 1 to 100000, got 0'],
    [{ url: 'ws://localhost', promises: ['retain'] }, 'promises.0: expected'],
    [{ url: 'ws://localhost', topic: 't' }, 'topic: is not a known option'],
    [{ url: 'ws://localhost', clientId: 'mine' }, 'clientId: is not a known option'],
  ])('refuses invalid options: %j', async (options, said) => {
    await expect(checkBroker(options as CheckBrokerOptions)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(said),
    })
  })

  it('does not begin if its signal is already aborted', async () => {
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(checkBroker({ url: 'ws://127.0.0.1:1', signal })).rejects.toThrow('too late')
  })
})
