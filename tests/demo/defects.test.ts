import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signal } from '@preact/signals'
import type { ElementHandle } from 'puppeteer-core'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { servePage } from '../../examples/demo/build/server.mjs'
import { payloadOf, rememberPayload } from '../../examples/demo/state/payloads.js'
import { opener } from '../../examples/demo/ui/files.js'
import { fileFor } from '../../examples/shared/files.mjs'
import { startEmbedded } from '../brokers/embedded.js'
import { freePort } from '../brokers/ports.js'
import { DemoPage, OPENING } from './page/page.js'
import { VerifyPanel } from './page/verify.js'
import { MAYBE_BOTH, visits } from './page/visits.js'

/** Browsers' messages about an unreachable broker, which a page cannot suppress. */
const AWAY = /WebSocket|can.t establish a connection/

describe.each(MAYBE_BOTH)('in the demo page, in %s', (browser) => {
  const visit = visits(browser)

  it('the sensor at full speed does not block clicks when the queue is full', async () => {
    const demo = await visit()
    await demo.fillQueue()
    await demo.click('radio', 'Full speed')
    await demo.click('button', 'Stop sensor')
    await demo.find('button', 'Start sensor')
    await demo.click('checkbox', 'Cut the connection')
    await demo.shows('.panel-queue', 'All 1,000 calls that waited are out')
    // The error of the full queue disappears once the queue is empty.
    expect(await demo.text('.panel-queue')).not.toContain('QUEUE_FULL')
  })

  it('the source in a lineage of four payloads is visible, and a click on the source shows its message', async () => {
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

  it('the Verify tool refuses 20 MB pasted into any field, and the field keeps its old text', async () => {
    const demo = await visit()
    await demo.click('button', 'This page’s newest')
    await demo.shows('.verdict-words', 'Genuine')
    await new VerifyPanel(demo).openFields()
    for (const [name, text] of [
      ['Message', 'Message'],
      ['Public keys to trust, or a trust policy', 'Public keys to trust'],
      ['host', 'Message'],
    ] as const) {
      for (const piece of ['ab', '{"a":']) {
        await demo.page.$$eval('#verify textarea, #verify input', putLongText, name, piece)
        await demo.shows('#verify .absent', `${text}: expected at most 262 kB in all, got 2`)
      }
    }
    await demo.shows('.verdict-words', 'Genuine')
    const lengths = await demo.page.$$eval('#verify textarea', (all) => all.map(({ value }) => value.length))
    expect(Math.max(...lengths)).toBeLessThan(10_000)
  })

  it('the page shows only a link to itself when another page embeds it in a frame', async () => {
    // The browser may leave the first page while that still loads its code.
    const demo = await visit({ expected: /Failed to fetch/ })
    const url = await servedWithoutHeaders()
    await demo.page.goto(`${url}/frame.html`)
    const frame = await (await demo.page.waitForSelector('iframe'))?.contentFrame()
    await frame?.waitForSelector('#page a[target=_blank]')
    expect(await frame?.$$eval('#page a', (all) => all.map(({ href }) => href))).toEqual([
      `${url}/index.html`,
    ])
    expect(await frame?.$$('button, textarea, .panels')).toEqual([])
  })

  it('calls work even if the code of the chart and of the samples does not load', async () => {
    const url = await servedWithout(/uPlot|samples/)
    const demo = await visit({ url, expected: /Failed to load resource|MIME type/ })
    await demo.shows('.history', 'The chart’s code did not load')
    await demo.click('button', 'Create')
    await demo.verifies(1)
    await demo.page.select('select[aria-label="Sample"]', 'Go SDK')
    await demo.shows('#verify .absent', 'The samples did not load')
  })

  it('the draft and the verified messages are restored after a reload', async () => {
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
    // The duration of the earlier verification is unknown now.
    expect(await demo.text('.verdict:last-child .numbers')).toBe('')
  })

  it('a second tab verifies the messages of the first tab, even if the first tab creates its key later', async () => {
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

/** Puts 20 MB into the field with this name, in the page, as a paste, a drop or a program does. */
function putLongText(all: Element[], name: string, piece: string): void {
  const isNamed = ({ ariaLabel, parentElement }: Element) =>
    ariaLabel === name || parentElement?.textContent === name
  const field = all.find(isNamed) as HTMLTextAreaElement
  field.value = piece.repeat(20_200_000 / piece.length)
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

/** Serves the page like a static web server, and a page around it. */
async function servedWithoutHeaders(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'alvarium-demo-framed-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await cp(inject('demoPages').serverless, dir, { recursive: true })
  await writeFile(
    join(dir, 'frame.html'),
    '<link rel="icon" href="data:,"><iframe src="index.html"></iframe>',
  )
  const server = createServer(async (request, response) => {
    // A page that is left may still load its code when the folder is gone.
    const file = await fileFor(dir, request.url ?? '/').catch(() => null)
    if (!file) return response.writeHead(404).end()
    return response.writeHead(200, { 'content-type': file.type }).end(file.content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Serves the page without the files whose names match. */
async function servedWithout(files: RegExp): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'alvarium-demo-without-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await cp(inject('demoPages').serverless, dir, { recursive: true, filter: (path) => !files.test(path) })
  const { url, close } = await servePage({ dir })
  onTestFinished(close)
  return url
}

describe('in the demo page', () => {
  // The code under test is the same in every browser.
  const visit = visits('chromium')

  it('a message next to the button Create reports that the broker is unreachable, and calls wait in the queue', async () => {
    const broker = `ws://127.0.0.1:${await freePort()}`
    const demo = await visit({ mode: 'broker', broker, expected: AWAY })
    await demo.shows('.panel-make .actions', 'The broker is not reachable.')
    await demo.click('button', 'Create')
    await demo.shows('.panel-make .actions', '1 signed call waits here, and goes out when it is back.')
  })

  it('an annotator without a name, or with a name already in use, is not called', async () => {
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

  it('the button Create is disabled while the selected source has no payload, even if the JSON field has one', async () => {
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

  it('the navigation reaches every section on a tablet', async () => {
    const demo = await visit({ width: 768 })
    const links = await demo.page.$$('.top-links a')
    expect(links).not.toEqual([])
    for (const link of links) expect(await link.isVisible()).toBe(true)
    await demo.click('link', 'Under the hood')
    await demo.page.waitForSelector('#hood[open]')
  })

  it('the page shows the duration of a call after warm-up', async () => {
    const demo = await visit()
    await demo.openHood()
    await demo.click('button', 'Create')
    await demo.shows('.real .warm', /\d (µs|ms)/)
  })
})

describe('the demo page under adverse conditions', () => {
  const visit = visits('chromium')

  it('reports a broker that refuses the subscription as not reachable, and shows the reason', async () => {
    const broker = await startBroker()
    onTestFinished(() => broker.close())
    broker.aedes.authorizeSubscribe = (_client, _subscription, done) => done(null, null)
    const demo = await visit({ mode: 'broker', broker: broker.url })
    await demo.shows('.connection', 'Broker not reachable')
    await demo.click('button', 'Create')
    await demo.shows('.panel-make .actions', /1 signed call waits here.*expected the broker to accept/s)
  })

  it('reports an invalid address of a broker', async () => {
    const demo = await visit({ mode: 'broker', broker: 'http://127.0.0.1:1' })
    await demo.shows('.no-core', 'The address of the broker cannot be used')
  })

  it('shows no old verdict when the verifier stops answering', async () => {
    const demo = await visit()
    await demo.shows('.verdict-words', 'Genuine')
    const names = demo.page.workers().map(async (worker) => ({
      worker,
      name: await worker.evaluate(() => String(Reflect.get(globalThis, 'name'))),
    }))
    const verifier = (await Promise.all(names)).find(({ name }) => name === 'verifier')
    await verifier?.worker.evaluate(() => {
      globalThis.onmessage = null
    })
    await new VerifyPanel(demo).alter('isSatisfied of annotation 1')
    await demo.shows('.verdict-words', 'Asking the verifier')
  })

  it('shows "not genuine" in its story if one of the messages does not verify', async () => {
    const demo = await visit()
    await demo.shows('.stop:nth-of-type(4)', 'all genuine')
    await demo.page.evaluate(() => {
      const { postMessage } = Worker.prototype
      Worker.prototype.postMessage = function (call: { name?: string; params?: Uint8Array }) {
        if (call.name === 'hear') call.params?.fill(48, -20, -10)
        postMessage.call(this, call)
      }
    })
    await demo.click('button', 'Send another reading')
    await demo.shows('.stop:nth-of-type(4)', 'not genuine')
  })

  it('works if the browser denies storage, and reports that the signing key is not stored', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'alvarium-demo-denied-'))
    onTestFinished(() => rm(dir, { recursive: true }))
    await cp(inject('demoPages').serverless, dir, { recursive: true })
    const assets = await readdir(join(dir, 'assets'))
    const worker = join('assets', assets.find((name) => /^worker-.*\.js$/.test(name)) ?? '')
    const denied = 'IDBFactory.prototype.open = () => { throw new DOMException("denied", "SecurityError") };'
    await writeFile(join(dir, worker), denied + (await readFile(join(dir, worker), 'utf8')))
    const { url, close } = await servePage({ dir })
    onTestFinished(close)
    const demo = await visit({ url })
    await demo.click('button', 'Create')
    await demo.verifies(1)
    await demo.shows('.panel-make', 'Made just now. It lasts as long as this page')
  })

  it('shows the weight of an annotator that is named like a member of Object.prototype', async () => {
    const demo = await visit()
    await demo.fill('Name', 'constructor')
    await demo.click('button', 'Create')
    await demo.shows('.weights', /constructor\s+1/)
  })

  it('reports that a payload is too long for a code sample or for a link, and shows neither', async () => {
    const demo = await visit()
    const file = join(await mkdtemp(join(tmpdir(), 'alvarium-demo-long-')), 'payload')
    await writeFile(file, randomBytes(300_000))
    const input = await demo.page.waitForSelector('.trust input[aria-label="Payload as a file"]')
    await (input as ElementHandle<HTMLInputElement>).uploadFile(file)
    await demo.shows('.sdk-says', 'PAYLOAD_MISMATCH')
    await demo.page.$eval('#verify .as-code', (details) => details.setAttribute('open', ''))
    await demo.shows('#verify .as-code pre', 'too long to be written as code')
    await demo.click('button', 'Copy link')
    await demo.shows('.share', 'too long for a link')
  })
})

describe('a file opened in the demo page', () => {
  it('is the file that was chosen last, even if a file that was chosen earlier finishes loading later', async () => {
    const [problem, opened] = [signal(''), [] as string[]]
    const open = opener(problem)
    let arrive = (_: () => void) => {}
    const slow = open(() => new Promise((resolve) => (arrive = resolve)))
    await open(async () => () => void opened.push('small'))
    arrive(() => void opened.push('large'))
    await slow
    expect(opened).toEqual(['small'])
  })

  it('is removed from memory when it and the files opened later exceed 64 MiB', () => {
    for (let n = 0; n < 5; n++) rememberPayload(`${n}`, new Uint8Array(15 * 1024 * 1024))
    expect([payloadOf('0'), payloadOf('4')?.length]).toEqual([undefined, 15 * 1024 * 1024])
  })
})

describe('the server of the demo page', () => {
  it.each(['/%zz', '//', '/%00', '/../../package.json', '/%2e%2e%2f%2e%2e%2fpackage.json'])(
    'answers 404 for the path %s, and continues',
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

/** Returns the number of messages that examples/demo/worker/memory.ts has written; runs in the page. */
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
