import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { preview } from 'vite'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { weigh } from '../../examples/demo/build/build.mjs'
import { startEmbedded } from '../brokers/embedded.js'
import { freePort } from '../brokers/ports.js'
import { MODES } from './build.js'
import { BROWSERS, NO_WASM, visits } from './page/visits.js'

describe.each(BROWSERS)('the demo page on a web server, in %s', (browser) => {
  const visit = visits(browser)

  it('says what is missing where WebAssembly is not allowed', async () => {
    const demo = await visit({ scriptSrc: "'self'", expected: NO_WASM })
    await demo.shows('.no-core', 'This page may not run WebAssembly')
    await demo.shows('.no-core', "script-src 'self' 'wasm-unsafe-eval'")
    await demo.shows('.no-core', 'CORE_UNAVAILABLE')
    await demo.shows('.connection', 'SDK not running')
    expect(await demo.page.$('.panel-make')).toBeNull()
  })

  it('works from any folder, without its server’s headers and without a broker', async () => {
    const root = await mkdtemp(join(tmpdir(), 'alvarium-demo-static-'))
    onTestFinished(() => rm(root, { recursive: true }))
    await cp(inject('demoPages').serverless, join(root, 'deep/er'), { recursive: true })
    const demo = await visit({ url: await servePlainly(root, 'deep/er/') })
    await demo.click('button', 'Sign a sample reading')
    await demo.verifies(1)
    await demo.click('radio', 'Sensor')
    await demo.click('button', 'Start sensor')
    await demo.verifies(2)
    await demo.click('button', 'Stop sensor')
  })

  it('breaks no policy and logs no error, whatever is used', async () => {
    const { url, stop } = await startEmbedded()
    onTestFinished(stop)
    const demo = await visit({ mode: 'broker', broker: url })
    await demo.click('button', 'Sign a sample reading')
    await demo.verifies(1)
    for (const source of ['File', 'Sensor', 'Motion', 'Camera', 'JSON']) await demo.click('radio', source)
    for (const view of ['Text', 'Hex', 'Fields']) await demo.click('radio', view)
    for (const theme of ['Dark', 'Light', 'Auto']) await demo.click('radio', theme)
    expect(demo.problems).toEqual([])
  })
})

/** Any static web server: no header of ours. */
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
 * Compressed, and without the data set. Five thousand of them are the outbox and its store, six the consumer and figures, six
 * keys of other algorithms and classic messages in subscriptions.
 */
const MOST_BYTES = 283_000

describe('the demo page', () => {
  it.each(MODES)(
    'weighs less than its bar, all that it may ever load included, in the %s build',
    async (mode) => {
      const files = await weigh(inject('demoPages')[mode])
      expect(files.map(({ file }) => extname(file))).toContain('.wasm')
      expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(MOST_BYTES)
    },
  )
})
