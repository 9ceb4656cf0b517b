import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { launch } from '../browsers/launch.mjs'

type Alvarium = typeof import('alvarium-sdk') & typeof import('alvarium-sdk/pool')

describe('dist/browser/script.js as the only file', () => {
  const path = join(inject('packed').folder, 'node_modules/alvarium-sdk/dist/browser/script.js')
  let server: Server
  let browser: Browser
  let page: Page
  const said: string[] = []
  beforeAll(async () => {
    server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    browser = await launch('chromium')
    page = await browser.newPage()
    page.on('console', (line) => line.type() === 'error' && said.push(line.text()))
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.addScriptTag({ path })
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })

  it('signs and verifies in workers that it starts without another file', async () => {
    const outcomes = await page.evaluate(async () => {
      const { generateKey, Keyring, memory, openSdk, pool, source, verifyMessages } = (
        globalThis as unknown as { alvarium: Alvarium }
      ).alvarium
      const workers = await pool({ workers: 2 })
      const { signingKey, verifyingKey } = generateKey()
      const stream = memory()
      const sdk = await openSdk({ signingKey, annotators: [source()], stream, pool: workers })
      const payloads = Array.from({ length: 50 }, (_, at) => Uint8Array.of(at))
      const messages = (await sdk.createMany(payloads)).map(({ message }) => message)
      const keyring = new Keyring([verifyingKey])
      const checked = await verifyMessages(messages, { keyring, pool: workers })
      await sdk.close()
      await workers.close()
      return checked.map(({ status }) => status)
    })
    expect(outcomes).toEqual(Array.from({ length: 50 }, () => 'fulfilled'))
    expect(said).toEqual([])
  })

  it('publishes to a broker, and receives the bundle back', async () => {
    const broker = await startBroker()
    try {
      const isSame = await page.evaluate(async (url) => {
        const { generateKey, mqtt, openSdk, source, subscribe } = (
          globalThis as unknown as { alvarium: Alvarium }
        ).alvarium
        const { signingKey, verifyingKey } = generateKey()
        const bundles = subscribe({ url, topic: 'a/b', keyring: [verifyingKey], durable: false })
        await bundles.open()
        const stream = mqtt({ url, topic: 'a/b' })
        const sdk = await openSdk({ signingKey, annotators: [source()], stream })
        const { id } = await sdk.create(new Uint8Array(100))
        const { value } = await bundles[Symbol.asyncIterator]().next()
        await Promise.all([sdk.close(), bundles.close()])
        return value?.id === id
      }, broker.url)
      expect(isSame).toBe(true)
      expect(said).toEqual([])
    } finally {
      await broker.close()
    }
  })
})
