import { classic, mqtt, openSdk, source } from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { alvarium } from './command.js'
import { signer } from './messages.js'

type Broker = Awaited<ReturnType<typeof startBroker>>

describe('alvarium listen', () => {
  let broker: Broker
  beforeAll(async () => {
    broker = await startBroker()
  })
  afterAll(() => broker.close())

  /** Runs the command, publishes when it listens, and gives what it has said. */
  async function heard(args: readonly string[], publish: () => Promise<void>) {
    const subscribed = new Promise((resolve) => broker.aedes.once('subscribe', resolve))
    const running = alvarium(['listen', broker.url, 'fabric/#', ...args])
    await subscribed
    await publish()
    return running
  }

  async function publisher(signingKey: Uint8Array, options: { host?: string; isClassic?: boolean } = {}) {
    const { host = 'edge-7', isClassic = false } = options
    const stream = mqtt({ url: broker.url, topic: 'fabric/a' })
    const codec = isClassic ? { codec: classic({ signingKey, dialect: 'go' }) } : {}
    const doubt = { kind: 'doubt', isSatisfied: () => host === 'edge-8' }
    return openSdk({ signingKey, annotators: [source(), doubt], stream, host, ...codec })
  }

  async function say(signingKey: Uint8Array, options: { host?: string; isClassic?: boolean } = {}) {
    const sdk = await publisher(signingKey, options)
    await sdk.create(new Uint8Array(1))
    await sdk.transit(new Uint8Array(2))
    await sdk.close()
  }

  it('shows what comes, bundles and messages of other SDKs, until it has seen as many as it was to', async () => {
    const { key, signingKey } = await signer()
    const { code, out } = await heard([...key, '-n', '3'], async () => {
      await say(signingKey)
      await say(signingKey, { isClassic: true })
    })
    expect(code).toBe(0)
    expect(out).toMatch(
      /^✓ create .*src ✓ {2}doubt ✗.*\n✓ transit .*\n✓ create {3}fabric\/a {2}as the SDK of go/,
    )
  })

  it.each([
    ['--action', 'transit', { action: 'transit', host: 'edge-7' }],
    ['--host', 'edge-8', { action: 'create', host: 'edge-8' }],
    ['--satisfied', undefined, { action: 'create', host: 'edge-8' }],
    ['--unsatisfied', undefined, { action: 'create', host: 'edge-7' }],
  ])('shows only what was asked for: %s %s', async (option, value, expected) => {
    const { key, signingKey } = await signer()
    const args = [...key, '-n', '1', '--json', option, ...(value ? [value] : [])]
    const { out } = await heard(args, async () => {
      await say(signingKey, { host: 'edge-7' })
      await say(signingKey, { host: 'edge-8' })
    })
    expect(JSON.parse(out)).toMatchObject({ topic: 'fabric/a', bundles: [expected] })
  })

  it('tells what does not verify, goes on, and ends with 1', async () => {
    const [{ key, signingKey }, stranger] = [await signer(), await signer()]
    const { code, err } = await heard([...key, '-n', '1'], async () => {
      await say(stranger.signingKey)
      await say(signingKey)
    })
    expect([code, err]).toEqual([1, expect.stringMatching(/✗ fabric\/a {2}SIGNER_UNKNOWN .*\n/)])
  })

  it('says how far it came when it is stopped', async () => {
    const { key, signingKey } = await signer()
    const stop = new AbortController()
    const subscribed = new Promise((resolve) => broker.aedes.once('subscribe', resolve))
    const running = alvarium(['listen', broker.url, 'fabric/#', ...key], { signal: stop.signal })
    await subscribed
    const acknowledged = new Promise((resolve) => broker.aedes.on('ack', resolve))
    await say(signingKey)
    await acknowledged
    stop.abort()
    const { code, err } = await running
    expect([code, err]).toEqual([130, expect.stringMatching(/[12] messages? .*verified, 0 rejected/)])
  })

  it('says where no broker is', async () => {
    const { key } = await signer()
    const { code, err } = await alvarium(['listen', 'ws://127.0.0.1:1', 't', ...key])
    expect([code, err]).toEqual([2, expect.stringMatching(/^alvarium: /)])
  })
})
