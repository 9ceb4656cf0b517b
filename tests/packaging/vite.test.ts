import { join } from 'node:path'
import type { Browser } from 'puppeteer-core'
import { preview } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { selfSigned } from '../brokers/certificate.js'
import { launch } from '../browsers/launch.mjs'
import { buildPage } from './packed.js'

describe('a page that Vite built without configuration', () => {
  beforeAll(() => buildPage(join(inject('packed').folder, 'vite-pool')))

  describe.each(['chromium', 'firefox'] as const)('in %s', (name) => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launch(name, { acceptInsecureCerts: true })
    })
    afterAll(() => browser?.close())

    /** Returns the output of a project's page. Fails if the page logs anything else. */
    async function output(project: string, query = '', https?: ReturnType<typeof selfSigned>) {
      const settings = { port: 0, host: '127.0.0.1', ...(https && { https }) }
      const server = await preview({
        root: join(inject('packed').folder, project),
        configFile: false,
        preview: settings,
      })
      try {
        const page = await browser.newPage()
        const complaints: unknown[] = []
        page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
        page.on('pageerror', (error) => complaints.push(error))
        await page.goto(`${server.resolvedUrls?.local[0]}${query}`)
        const shown = await page.waitForSelector('output:not(:empty)')
        const text = await shown?.evaluate(({ textContent }) => textContent)
        expect(complaints).toEqual([])
        return { text, page }
      } finally {
        await server.close()
      }
    }

    it.each([
      ['HTTP, to a broker over WebSocket', undefined, false],
      ['HTTPS, to a broker over WebSocket with TLS', selfSigned(), true],
    ])('publishes from %s, and verifies the message that the broker returns', async (_, tls, isProtected) => {
      const broker = await startBroker(tls ? { tls } : {})
      try {
        const { text } = await output('vite', `?broker=${encodeURIComponent(broker.url)}`, tls)
        expect(text).toBe(`["127.0.0.1",["src",true],["tls",${isProtected}]]`)
      } finally {
        await broker.close()
      }
    })

    it('signs and verifies in a pool of workers under a strict Content-Security-Policy', async () => {
      const { text, page } = await output('vite-pool')
      expect(text).toBe('[100,0]')
      // The browser reports the workers' end with a delay.
      await expect.poll(() => page.workers(), { timeout: 60_000 }).toEqual([])
    })
  })
})
