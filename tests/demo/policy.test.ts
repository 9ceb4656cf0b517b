import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { preview } from 'vite'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import {
  buildPage,
  isOfAlgorithms,
  isOfPacks,
  isOfTrust,
  sumOf,
  weigh,
} from '../../examples/demo/build/build.mjs'
import packageJson from '../../package.json' with { type: 'json' }
import { startEmbedded } from '../brokers/embedded.js'
import { freePort } from '../brokers/ports.js'
import { MODES } from './build.js'
import { BROWSERS, itOfPage, NO_WASM, visits } from './page/visits.js'

describe.each(BROWSERS)('the demo page on a web server, in %s', (browser) => {
  const visit = visits(browser)
  const ofPage = itOfPage(browser)

  it('names the missing directive if the security policy does not allow WebAssembly', async () => {
    const demo = await visit({ scriptSrc: "'self'", expected: NO_WASM })
    await demo.shows('.no-core', 'This page may not run WebAssembly')
    await demo.shows('.no-core', "script-src 'self' 'wasm-unsafe-eval'")
    await demo.shows('.no-core', 'CORE_UNAVAILABLE')
    await demo.shows('.connection', 'SDK not running')
    expect(await demo.page.$('.panel-make')).toBeNull()
  })

  ofPage('works in any folder of a server, without special HTTP headers and without a broker', async () => {
    const root = await mkdtemp(join(tmpdir(), 'alvarium-demo-static-'))
    onTestFinished(() => rm(root, { recursive: true }))
    await cp(inject('demoPages').serverless, join(root, 'deep/er'), { recursive: true })
    const demo = await visit({ url: await servePlainly(root, 'deep/er/') })
    await demo.click('button', 'Create')
    await demo.verifies(1)
    await demo.click('radio', 'Sensor')
    await demo.click('button', 'Start sensor')
    await demo.verifies(2)
    await demo.click('button', 'Stop sensor')
  })

  it('violates no content security policy and logs no error in any panel', async () => {
    const { url, stop } = await startEmbedded()
    onTestFinished(stop)
    const demo = await visit({ mode: 'broker', broker: url })
    await demo.openHood()
    await demo.click('button', 'Create')
    await demo.verifies(1)
    for (const source of ['File', 'Sensor', 'Motion', 'Camera', 'JSON']) await demo.click('radio', source)
    for (const view of ['Text', 'Hex', 'Fields']) await demo.click('radio', view)
    for (const theme of ['Dark', 'Light', 'Auto']) await demo.click('radio', theme)
    expect(demo.problems).toEqual([])
  })
})

/** Serves the page like any static web server, without our headers. */
async function servePlainly(root: string, path: string): Promise<string> {
  const server = await preview({
    configFile: false,
    logLevel: 'error',
    build: { outDir: root },
    preview: { host: '127.0.0.1', port: await freePort() },
  })
  onTestFinished(() => server.close())
  return new URL(path, server.resolvedUrls?.local[0]).href
}

/**
 * The limits of the compressed page. The serverless build runs on any web server; the other adds mqtt.js (64,000) and
 * the SDK's code around it. Charts take 22,000 more, the core 86,000. The page fetches ECDSA and SM2 only for their
 * keys. It fetches trust policies only for a policy (YAML is 30,000 of them), and the reader of packs and sets only for
 * these. Hashes in names of chunks compress differently on another machine, by a few bytes.
 */
const MAX_BYTES = { serverless: 298_000, broker: 376_000 }
const MAX_BYTES_OF_ALGORITHMS = 116_000
const MAX_BYTES_OF_TRUST = 50_000
const MAX_BYTES_OF_PACKS = 30_000

describe('the demo page', () => {
  it.each(MODES)(
    'in the %s build, is smaller than its size limit, as is each group of files that it loads on demand',
    async (mode) => {
      const files = await weigh(inject('demoPages')[mode])
      const own = files.filter((file) => !isOfAlgorithms(file) && !isOfTrust(file) && !isOfPacks(file))
      expect(own.map(({ file }) => extname(file))).toContain('.wasm')
      expect(sumOf(own)).toBeLessThan(MAX_BYTES[mode])
      expect(sumOf(files.filter(isOfAlgorithms))).toBeLessThan(MAX_BYTES_OF_ALGORITHMS)
      expect(sumOf(files.filter(isOfTrust))).toBeLessThan(MAX_BYTES_OF_TRUST)
      expect(sumOf(files.filter(isOfPacks))).toBeLessThan(MAX_BYTES_OF_PACKS)
      for (const isOf of [isOfTrust, isOfPacks]) expect(files.filter(isOf).length).toBeGreaterThan(1)
    },
  )
})

describe('the head of the demo page', () => {
  const head = async (options: { readonly url?: string; readonly broker?: string }) => {
    const dir = await mkdtemp(join(tmpdir(), 'alvarium-demo-head-'))
    onTestFinished(() => rm(dir, { recursive: true }))
    await buildPage(dir, 'serverless', options)
    return { dir, html: await readFile(join(dir, 'index.html'), 'utf8') }
  }

  it("has a title, a favicon, the broker's URL, and the URL of a picture for link previews", async () => {
    const { dir, html } = await head({
      url: 'https://example.org/project',
      broker: 'wss://broker.example/mqtt',
    })
    expect(html).toContain('<title>Alvarium: sign and verify')
    expect(html).toContain('<meta property="og:image" content="https://example.org/project/share.png"')
    expect(html).toContain('<meta name="alvarium-broker" content="wss://broker.example/mqtt"')
    const picture = await readFile(join(dir, 'share.png'))
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1200, 630])
    expect(await readFile(join(dir, 'favicon.svg'), 'utf8')).toContain('<svg')
  })

  it("links to the package's home page, unless the URL in package.json is still a placeholder", async () => {
    const { dir } = await head({})
    const assets = await readdir(join(dir, 'assets'))
    const page = assets.find((name) => /^index-.*\.js$/.test(name)) ?? ''
    const script = await readFile(join(dir, 'assets', page), 'utf8')
    const isPlaceholder = new URL(packageJson.homepage).hostname.endsWith('.invalid')
    expect(script.includes(packageJson.homepage)).toBe(!isPlaceholder)
    expect(script).not.toContain('example.invalid')
  })
})
