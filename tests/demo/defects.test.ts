import { cp, mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { servePage } from '../../examples/demo/build/server.mjs'
import { startEmbedded } from '../brokers/embedded.js'
import { freePort } from '../brokers/ports.js'
import { DemoPage, OPENING } from './page/page.js'
import { MAYBE_BOTH, visits } from './page/visits.js'

/** What browsers say of a broker that is away; nobody can keep them from it. */
const AWAY = /WebSocket|can.t establish a connection/

describe.each(MAYBE_BOTH)('in the demo page, in %s', (browser) => {
  const visit = visits(browser)

  it('the sensor at full speed against a full queue leaves time for everything else', async () => {
    const demo = await visit()
    await demo.fillQueue()
    await demo.click('radio', 'Full speed')
    await demo.click('button', 'Stop sensor')
    await demo.find('button', 'Start sensor')
    await demo.click('checkbox', 'Cut the connection')
    await demo.shows('.panel-queue', 'All 1,000 calls that waited are out')
    // What was refused while it was full is no news once it is empty.
    expect(await demo.text('.panel-queue')).not.toContain('QUEUE_FULL')
  })

  it('a lineage of four has its source in sight; a click on it brings its message into sight', async () => {
    const demo = await visit()
    await demo.fill('Payload as text', '{"temp_max":1}')
    await demo.click('button', 'Create')
    await demo.verifies(1)
    for (let n = 2; n <= 4; n++) {
      await demo.fill('Payload as text', `{"temp_max":${n}}`)
      await demo.click('button', 'Mutate')
      await demo.verifies(n)
    }
    await expect.poll(() => demo.texts('.node-actions')).toHaveLength(10)
    const left = await demo.page.$eval('.lineage-graph', (graph) => [
      graph.scrollLeft,
      graph.scrollWidth - graph.clientWidth,
    ])
    expect(left).toEqual([0, 0])
    await demo.focus('.node:nth-last-of-type(4) .hit')
    await demo.page.keyboard.press('Enter')
    await demo.shows('.said', 'create')
    await expect
      .poll(() => demo.page.$eval('.verdict-words', (words) => Math.round(words.getBoundingClientRect().top)))
      .toBeLessThan(900)
  })

  it('a chart whose code does not come says so, and so does a sample; everything else works', async () => {
    const url = await servedWithout(/uPlot|samples/)
    const demo = await visit({ url, expected: /Failed to load resource|MIME type/ })
    await demo.shows('.history', 'The chart’s code did not load')
    await demo.click('button', 'Create')
    await demo.verifies(1)
    await demo.page.select('select[aria-label="Sample"]', 'Go SDK')
    await demo.shows('#verify .absent', 'The samples did not load')
  })

  it('the draft and what was verified are there again after a reload', async () => {
    const demo = await visit()
    await demo.fill('Payload as text', '{"temp_max":12}')
    await demo.click('button', 'Create')
    await demo.verifies(1)
    await demo.click('button', 'New key pair')
    await demo.shows('.panel-make', 'Made just now')
    await expect.poll(() => demo.page.evaluate(remembered)).toBe(1)
    await demo.reload()
    const text = await demo.page.$eval(
      'textarea[aria-label="Payload as text"]',
      (area) => (area as HTMLTextAreaElement).value,
    )
    expect(text).toBe('{"temp_max":12}')
    await expect.poll(() => demo.texts('.verdict')).toHaveLength(OPENING + 1)
    expect(await demo.tally()).toEqual({ signed: 0, verified: 0, rejected: 0 })
  })

  it('a second tab shows what the first one signs, with a key that is newer than itself', async () => {
    const { url, stop } = await startEmbedded()
    onTestFinished(stop)
    for (const mode of ['serverless', 'broker'] as const) {
      const demo = await visit({ mode, broker: url })
      const other = new DemoPage(await demo.page.browserContext().newPage(), demo.url, demo.problems, [
        'error',
      ])
      await other.open(1280)
      await demo.page.bringToFront()
      await demo.click('button', 'New key pair')
      await demo.shows('.panel-make', 'Made just now')
      await demo.click('button', 'Create')
      await demo.verifies(1)
      await other.page.bringToFront()
      await other.verifies(1)
      expect((await other.tally()).rejected).toBe(0)
    }
  })
})

/** The page without the files whose names fit. */
async function servedWithout(files: RegExp): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'alvarium-demo-without-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await cp(inject('demoPages').serverless, dir, { recursive: true, filter: (path) => !files.test(path) })
  const { url, close } = await servePage({ dir })
  onTestFinished(close)
  return url
}

describe('in the demo page', () => {
  // The same code in every browser.
  const visit = visits('chromium')

  it('an unreachable broker is named where calls are made, and they wait', async () => {
    const broker = `ws://127.0.0.1:${await freePort()}`
    const demo = await visit({ mode: 'broker', broker, expected: AWAY })
    await demo.shows('.panel-make .actions', 'The broker is not reachable.')
    await demo.click('button', 'Create')
    await demo.shows('.panel-make .actions', '1 signed call waits here, and goes out when it is back.')
  })

  it('an annotator without a name of its own is not asked, under no other name either', async () => {
    const demo = await visit()
    await demo.openHood()
    for (const taken of ['src', '', ' tls ']) {
      await demo.fill('Name', taken)
      await demo.shows('.rule', 'until then it is not asked')
      const { verified } = await demo.tally()
      await demo.click('button', 'Create')
      await demo.verifies(verified + 1)
      await expect
        .poll(() => demo.texts('.asked .answer'))
        .toEqual([expect.stringContaining('src'), expect.stringContaining('tls')])
    }
    await demo.fill('Name', 'cool')
    await demo.fill('Value', 'abc')
    await demo.click('button', 'Create')
    await demo.shows('.asked', /✗\s*cool/)
  })

  it('only what is seen is signed: no JSON while another source is chosen', async () => {
    const demo = await visit()
    for (const [source, hint] of [
      ['Camera', 'Take a frame first'],
      ['Motion', 'Take a reading first'],
      ['File', 'Choose a file first'],
      ['Sensor', 'The sensor signs by itself'],
    ] as const) {
      await demo.click('radio', source)
      await demo.shows('.panel-make .actions', hint)
      expect(await demo.page.$('.panel-make .actions .primary:enabled')).toBeNull()
    }
    await demo.click('radio', 'JSON')
    await demo.click('button', 'Create')
    await demo.verifies(1)
  })

  it('on a tablet, every section can be reached by the navigation', async () => {
    const demo = await visit({ width: 768 })
    for (const link of await demo.page.$$('.top-links a')) expect(await link.isVisible()).toBe(true)
    await demo.click('link', 'Under the hood')
    await demo.page.waitForSelector('#hood[open]')
  })

  it('a call’s cost once warm is told beside what the first one took', async () => {
    const demo = await visit()
    await demo.openHood()
    await demo.click('button', 'Create')
    await demo.shows('.real .warm', /\d (µs|ms)/)
  })
})

describe('the server of the demo page', () => {
  it.each(['/%zz', '//', '/%00', '/../../package.json', '/%2e%2e%2f%2e%2e%2fpackage.json'])(
    'says of what it does not have that it has not, and goes on: %s',
    async (path) => {
      const { url, close } = await servePage({ dir: inject('demoPages').serverless })
      onTestFinished(close)
      const { port } = new URL(url)
      const status = await new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, path }, (response) => resolve(response.resume().statusCode)).once(
          'error',
          reject,
        )
      })
      expect(status).toBe(404)
      expect((await fetch(url)).status).toBe(200)
    },
  )
})

/** Runs in the page: how many messages examples/demo/worker/memory.ts has written. */
async function remembered(): Promise<number> {
  const databases = await indexedDB.databases()
  if (!databases.some(({ name }) => name === 'keyval-store')) return 0
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('keyval-store')
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const reading = opening.result.transaction('keyval').objectStore('keyval').get('alvarium-demo-heard')
      reading.onsuccess = () => resolve(reading.result?.messages.length ?? 0)
      opening.result.close()
    }
  })
}
