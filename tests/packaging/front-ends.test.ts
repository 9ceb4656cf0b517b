import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { launch } from '../browsers/launch.mjs'
import { type Built, built, type FrontEnd, serve, Visitor } from './front-ends.js'

const TOPIC = 'readings'
/** The chunk of P-256, secp256k1 and SM2, by the name of their module. */
const ALGORITHMS = /\/inline-[^/]*\.js$/
const ANSWERS = 'src yes, tls no'

/** Starts a broker that records the messages of the topic, and the number of subscriptions. */
async function watchedBroker() {
  const { url, aedes, close } = await startBroker()
  const messages: string[] = []
  const subscribed: string[] = []
  aedes.on('publish', ({ topic, payload }) => topic === TOPIC && messages.push(String(payload)))
  aedes.on('subscribe', (_, client) => subscribed.push(client.id))
  const publish = (text: string) =>
    new Promise<unknown>((resolve) => {
      const packet = { cmd: 'publish', topic: TOPIC, payload: Buffer.from(text), qos: 1 } as const
      aedes.publish({ ...packet, dup: false, retain: false }, resolve)
    })
  return { url, messages, subscribed, publish, close, clients: () => aedes.connectedClients }
}

describe('the front ends of the guide, under its Content-Security-Policy,', () => {
  let browser: Browser
  let broker: Awaited<ReturnType<typeof watchedBroker>>
  beforeAll(async () => {
    browser = await launch('chromium')
    broker = await watchedBroker()
  })
  afterAll(async () => {
    await browser?.close()
    await broker?.close()
  })

  const opened = async (url: string) => {
    const visitor = await Visitor.open(browser, url)
    onTestFinished(() => visitor.close())
    return visitor
  }
  const build = (frontEnd: FrontEnd) => built(inject('packed').folder, frontEnd, broker.url)

  describe.each<FrontEnd & { name: string }>([
    { name: 'React, whose StrictMode runs effects twice', framework: 'react', mode: 'development' },
    { name: 'Vue', framework: 'vue', mode: 'production' },
  ])('$name', (frontEnd) => {
    let server: Awaited<ReturnType<typeof serve>>
    beforeAll(async () => {
      server = await serve(await build(frontEnd))
    })
    afterAll(() => server?.close())

    // claim: react-vue-3
    it('show a message once even if it arrives twice, and an alert in place of an altered message', async () => {
      const visitor = await opened(server.url)
      await visitor.isOnline()
      await visitor.sign('22.5')
      await expect.poll(() => visitor.shown('li')).toEqual([`22.5 ${ANSWERS}`])

      const message = broker.messages.at(-1) ?? ''
      await broker.publish(message)
      await broker.publish(message.replace('22.5', '99.5'))
      await expect.poll(() => visitor.shown('section [role=alert]')).toHaveLength(1)
      await visitor.sign('23.5')
      await expect.poll(() => visitor.shown('li')).toEqual([`23.5 ${ANSWERS}`, `22.5 ${ANSWERS}`])
      expect(visitor.complaints).toEqual([])
      expect(visitor.requested.filter((url) => ALGORITHMS.test(url))).toEqual([])
    })

    // claim: react-vue-2
    it('subscribe once, until the component is unmounted', async () => {
      const before = broker.subscribed.length
      const visitor = await opened(server.url)
      await visitor.isOnline()
      expect(broker.subscribed).toHaveLength(before + 1)
      await visitor.toggle()
      await expect.poll(broker.clients).toBe(0)
      await visitor.toggle()
      await visitor.isOnline()
      expect(broker.subscribed).toHaveLength(before + 2)
      expect(visitor.complaints).toEqual([])
    })

    // claim: react-vue-1
    it('have a key pair that code cannot export', async () => {
      const visitor = await opened(server.url)
      const signers = new Set()
      for (const payload of ['24.5', '25.5']) {
        await visitor.isOnline()
        await visitor.sign(payload)
        await expect.poll(() => visitor.shown('li')).toEqual([`${payload} ${ANSWERS}`])
        signers.add(JSON.parse(broker.messages.at(-1) ?? '').signer)
        await visitor.reload()
      }
      expect(signers.size).toBe(1)
      expect(await visitor.exported()).toBe('InvalidAccessError')
    })
  })

  // claim: react-vue-5
  it('load the code for P-256 if the signing key is a P-256 key', async () => {
    const to = "{ name: 'ECDSA', namedCurve: 'P-256' }"
    const change = { file: 'src/alvarium.js', from: "'Ed25519'", to }
    const server = await serve(await build({ framework: 'react', mode: 'production', change }))
    onTestFinished(server.close)
    const visitor = await opened(server.url)
    await visitor.isOnline()
    await visitor.sign('26.5')
    await expect.poll(() => visitor.shown('li')).toEqual([`26.5 ${ANSWERS}`])
    expect(visitor.requested.filter((url) => ALGORITHMS.test(url))).toHaveLength(1)
    expect(visitor.complaints).toEqual([])
  })

  describe('with a worker that signs', () => {
    let app: Built
    beforeAll(async () => {
      const change = { file: 'src/App', from: './alvarium.js', to: './sign.js' }
      app = await build({ framework: 'vue', mode: 'production', change })
    })

    const visit = async (policy: string) => {
      const server = await serve({ ...app, policy })
      onTestFinished(server.close)
      return opened(server.url)
    }

    // claim: react-vue-4
    it('show the messages that the worker has signed', async () => {
      const visitor = await visit(app.policy)
      await visitor.isOnline()
      await visitor.sign('27.5')
      await expect.poll(() => visitor.shown('li')).toEqual([`27.5 ${ANSWERS}`])
      expect(visitor.complaints).toEqual([])
    })

    // claim: react-vue-8
    it.each([
      ["'wasm-unsafe-eval'", 'CORE_UNAVAILABLE'],
      ['ws:', 'STREAM_UNREACHABLE'],
    ])('show an error in the page if the policy lacks %s', async (part, code) => {
      const visitor = await visit(app.policy.replace(new RegExp(` ${part}[^ ;]*`), ''))
      await expect.poll(() => visitor.shown('section [role=alert]')).toEqual([expect.stringContaining(code)])
    })
  })
})
