import { readFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import type { Browser } from 'puppeteer-core'
import { type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { launch } from '../browsers/launch.mjs'
import { printed } from './packed.js'

describe('a pool in a single-file bundle that does not contain the worker', () => {
  const { folder } = inject('packed')
  const project = join(folder, 'bundled')

  it('works in Node', async () => {
    expect(await printed('node', ['bundled/dist/node.cjs'], folder)).toBe('src')
  })

  it('works if Node reads the bundle from standard input', async () => {
    expect(await printed('sh', ['-c', 'node - < bundled/dist/node.cjs'], folder)).toBe('src')
  })

  describe('in a page', () => {
    let browser: Browser
    let server: PreviewServer
    beforeAll(async () => {
      browser = await launch('chromium')
      server = await preview({
        root: project,
        configFile: false,
        preview: { port: 0, host: '127.0.0.1' },
        // A missing file gives an error, not the start page.
        appType: 'mpa',
      })
    })
    afterAll(async () => {
      await browser?.close()
      await server?.close()
    })

    const shown = async (page: string) => {
      const tab = await browser.newPage()
      await tab.goto(`${server.resolvedUrls?.local[0]}${page}`)
      const output = await tab.waitForSelector('output:not(:empty)')
      const text = await output?.evaluate(({ textContent }) => textContent)
      await tab.close()
      return text
    }

    it.each([
      ['without configuration', 'plain.html'],
      ['under a strict Content-Security-Policy, given the URL of its worker', 'strict.html?url'],
      ['under Trusted Types, given a function that starts its worker', 'trusted.html?policy'],
    ])('works %s', async (_, page) => {
      expect(await shown(page)).toBe('src')
    })

    it.each(['strict.html', 'trusted.html'])(
      'fails in %s with an error that says to pass the URL of the worker',
      async (page) => {
        const text = await shown(page)
        expect(text).toContain('CORE_UNAVAILABLE pool: expected workers to start, got ')
        expect(text).toContain('give pool({ worker }) the URL of alvarium-sdk/pool/worker')
      },
    )
  })
})

// Newer versions of Node have this part of ws built in.
describe.skipIf('websocketMask' in http)('an mqtt stream, if a bundler has broken its dependency ws,', () => {
  it('cannot be opened, and the error names the package to exclude from the bundle', async () => {
    const { folder } = inject('packed')
    const broker = await startBroker()
    const said = await printed('node', ['bundled/dist/publish.cjs', broker.url], folder)
    await broker.close()
    expect(said).toMatch(/^STREAM_UNREACHABLE .*serverExternalPackages: \['alvarium-sdk'\]/)
  })
})

describe('the file that alvarium-sdk/pool/worker exports', () => {
  // claim: pool-5
  it('imports nothing and starts no worker, so that a bundler can use it as the file of a worker', async () => {
    const { folder } = inject('packed')
    const file = await readFile(join(folder, 'node_modules/alvarium-sdk/dist/sdk/pool/worker.js'), 'utf8')
    const refers = /\bimport[(.{*]|\bimport ?['"]|\bexport ?[{*]|\brequire\(|new Worker/
    expect(file.match(refers)).toBeNull()
  })
})
