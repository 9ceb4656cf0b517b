// @slow: it runs programs and pages as a user does

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { dataDir } from '@electric-sql/pglite-prepopulatedfs'
import { keyOf, memory, openSdk } from 'alvarium-sdk'
import { openStore, type Store } from 'alvarium-sdk/store'
import axe from 'axe-core'
import type { Browser, HTTPRequest, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { buildPage } from '../../examples/dashboard/build.mjs'
import { keyring, sampleMessages } from '../../examples/dashboard/sample.mjs'
import { requestOf, serveDashboard } from '../../examples/dashboard/server.mjs'
import { type BrowserName, launch } from '../browsers/launch.mjs'
import { utf8 } from '../support/bytes.js'
import { key } from '../support/sdk.js'
import { messageAt } from '../support/trust.js'

/** The payload key of the messages of tests/support/trust.ts. */
const LEAP_KEY = keyOf(utf8('hello alvarium'))
/** A text that does harm in a page which does not escape it. */
const HOSTILE = '<img src=x onerror="document.title=1">\u0000\u202e'
const TEXT = `${HOSTILE}${'ü'.repeat(29_000)}`

let dir: string
let store: Store
let database: PGlite
let served: Awaited<ReturnType<typeof serveDashboard>>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'alvarium-dashboard-test-'))
  await buildPage(dir)
  database = await PGlite.create({ loadDataDir: await dataDir() })
  keyring.add(key.verifyingKey)
  store = await openStore(database, { keyring })
  const stream = memory()
  const annotators = [{ kind: HOSTILE, isSatisfied: () => false }]
  const sdk = await openSdk({ signingKey: key.signingKey, annotators, host: HOSTILE, hash: 'none', stream })
  await sdk.create(utf8(TEXT))
  await sdk.close()
  const leap = await messageAt('2016-12-31T23:59:60Z')
  await store.ingest([leap, ...stream.messages, ...(await sampleMessages(Date.now()))])
  served = await serveDashboard({ dir, store })
})
afterAll(async () => {
  await served?.close()
  await store?.close()
  await database?.close()
  await rm(dir, { recursive: true })
})

const textOf = (page: Page, selector: string) => page.$eval(selector, (one) => one.textContent ?? '')

async function says(page: Page, selector: string, text: string): Promise<void> {
  await page.waitForFunction(
    (where: string, what: string) => document.querySelector(where)?.textContent?.includes(what),
    {},
    selector,
    text,
  )
}

describe('the dashboard, by axe-core,', () => {
  it.each([
    [320, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('has no accessibility fault at %i pixels in the %s colour scheme', async (width, value) => {
    const browser = await launch('chromium')
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.setBypassCSP(true)
    await page.setViewport({ width, height: 900 })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
    await page.goto(served.url)
    await says(page, '#completeness .no', 'incomplete')
    await page.waitForSelector('#lineage .node')
    await page.evaluate(axe.source)
    const violations = await page.evaluate(async () => {
      const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run()
      return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
    })
    expect(violations).toEqual([])
  })
})

describe.each<BrowserName>(['chromium', 'firefox'])('the dashboard in %s', (name) => {
  let browser: Browser
  let page: Page
  const faults: string[] = []
  beforeAll(async () => {
    browser = await launch(name)
    page = await browser.newPage()
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (line) => {
      if (line.type() === 'error') faults.push(line.text())
    })
  })
  afterAll(() => browser?.close())

  it('shows a payload, its lineage in both directions, unsatisfied annotations, silent signers and missing messages', async () => {
    await page.goto(served.url)
    await says(page, '#payload .known', '6 of 6 annotations satisfied, in 3 bundles')
    await says(page, '#payload .known', 'Score')
    await says(page, '#lineage', '6 payloads, the nearest first.')
    expect(await page.$$eval('#lineage .node', (nodes) => nodes.length)).toBe(7)
    await says(page, '#answers', 'tls press-2')
    await says(page, '#signers .silent', 'silent for 9 h')
    await says(page, '#quarantine', 'SIGNER_UNKNOWN')
    await says(page, '#completeness .no', 'incomplete')
    await says(page, '#completeness .why', '1 missing, at position 2, ')
    await page.$$eval('#lineage .hit', (nodes) =>
      nodes.at(-1)?.dispatchEvent(new MouseEvent('click', { bubbles: true })),
    )
    await says(page, '#payload .known', 'in 1 bundle')
    await page.$$eval('#lineage input', ([, down]) => (down as HTMLInputElement).click())
    await says(page, '#lineage', '2 payloads, the nearest first.')
  })

  it.each([1280, 390])('needs no horizontal scrolling in a window of %i pixels', async (width) => {
    await page.setViewport({ width, height: 900 })
    await page.goto(served.url)
    await page.waitForSelector('#lineage .node')
    const [inner, scrolled] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth])
    expect(scrolled).toBeLessThanOrEqual(inner as number)
  })

  it.each([320, 390, 1280])('shows all links of its navigation at %i pixels', async (width) => {
    await page.setViewport({ width, height: 900 })
    await page.goto(served.url)
    await page.waitForSelector('#lineage .node')
    const links = await page.$$eval('.top-links a', (all) =>
      all.map((link) => {
        const { left, right, top } = link.getBoundingClientRect()
        return (
          left >= 0 &&
          right <= innerWidth &&
          link.contains(document.elementFromPoint((left + right) / 2, top + 8))
        )
      }),
    )
    expect(links).toEqual(Array(6).fill(true))
  })

  it('draws the lineage over more than two thirds of the width of its frame, and not beyond the right edge', async () => {
    await page.setViewport({ width: 1280, height: 900 })
    await page.goto(served.url)
    await says(page, '#lineage', '6 payloads, the nearest first.')
    await page.waitForFunction(() => {
      const [frame, ...boxes] = ['#lineage .lineage-graph', '#lineage .node'].flatMap((where) =>
        [...document.querySelectorAll(where)].map((one) => one.getBoundingClientRect()),
      )
      const [left, right] = [
        Math.min(...boxes.map((box) => box.left)),
        Math.max(...boxes.map((box) => box.right)),
      ]
      return frame !== undefined && right <= frame.right && right - left > (2 / 3) * frame.width
    })
  })

  it("shows a leap second as its signer wrote it, although JavaScript's Date cannot represent it", async () => {
    await page.goto(`${served.url}#${new URLSearchParams({ key: LEAP_KEY, hash: 'sha256' })}`)
    await page.reload()
    await says(page, '#payload .known', '2016-12-31T23:59:60')
  })

  it('shows markup in the data as text, and does not run it', async () => {
    await page.goto(`${served.url}#${new URLSearchParams({ key: TEXT, hash: 'none' })}`)
    await page.reload()
    await says(page, '#payload .known', 'in 1 bundle')
    expect(await textOf(page, '#payload .known code')).toBe(HOSTILE)
    expect(await page.title()).toBe('Alvarium store')
    expect(await page.$$('main img')).toEqual([])
  })

  it('explains the format of a payload key when a visitor searches for other text', async () => {
    await page.goto(served.url)
    await page.waitForSelector('#payload .known')
    await page.$eval('input[name=key]', (field) => Object.assign(field, { value: 'banana' }))
    await page.click('.search button')
    await says(page, '.search [role=alert]', 'Enter a payload key: 64 hexadecimal digits.')
  })

  it('shows the error of an invalid query', async () => {
    await page.goto(`${served.url}#key=x&hash=sha1`)
    await page.reload()
    await says(page, '.problem', 'CONFIG_INVALID')
    expect(await textOf(page, '.problem')).toContain('expected sha256, md5 or none')
  })

  it('has logged no unexpected error', () => {
    expect(faults.filter((text) => !text.includes('400'))).toEqual([])
  })
})

/** Requests a payload by its key in the address; runs in the page. */
function asks(key: string): void {
  location.hash = `key=${key}`
}

describe('the dashboard under adverse conditions', () => {
  let browser: Browser
  let page: Page
  /** Replaces the server's answer to a request. */
  let fate: (request: HTTPRequest) => Promise<void> | undefined = () => undefined
  beforeAll(async () => {
    browser = await launch('chromium')
    page = await browser.newPage()
    // The page repeats requests soon, and the test can advance its clock.
    await page.evaluateOnNewDocument(() => {
      const { now } = Date
      const later = setTimeout
      Object.assign(globalThis, { ahead: 0, setTimeout: (run: () => void) => later(run, 50) })
      Date.now = () => now() + Reflect.get(globalThis, 'ahead')
    })
    await page.setRequestInterception(true)
    page.on('request', (request) => void (fate(request) ?? request.continue()))
  })
  afterAll(() => browser?.close())

  const failing = (what: RegExp, body = '{"code":"QUEUE_FULL","detail":"retry later"}') => {
    fate = (request) => (what.test(request.url()) ? request.respond({ status: 503, body }) : undefined)
  }

  it('shows no figure and no favourable verdict while the server sends no data', async () => {
    failing(/\/api\//, '<html>')
    await page.goto(served.url)
    await says(page, '.problem', 'HTTP 503')
    const said = await page.$$eval('.empty', (all) => all.map(({ textContent }) => textContent))
    expect(said).toEqual(['No payload yetEnter a payload key.', ...Array(5).fill('Not known yet')])
    expect(await textOf(page, '.figures')).not.toMatch(/\d/)
  })

  it('reports that one figure is missing although others arrived, and requests the missing figure again', async () => {
    failing(/answers/)
    await page.goto(served.url)
    await says(page, '#signers', 'oven-2')
    await says(page, '.problem', 'QUEUE_FULL')
    await says(page, '#answers .empty', 'Not known yet')
    fate = () => undefined
    await says(page, '#answers', 'tls press-2')
  })

  it('reports all signers as silent when no messages arrive any more', async () => {
    await page.evaluate(() => Object.assign(globalThis, { ahead: 5 * 3_600_000 }))
    await page.waitForFunction(() => document.querySelectorAll('#signers .silent').length > 5)
  })

  it('shows only the payload that was requested last', async () => {
    await says(page, '#payload .known', 'Score')
    const key = await page.$eval('[name=key]', (input) => (input as HTMLInputElement).value)
    const held: HTTPRequest[] = []
    fate = async (request) =>
      /key=(x|AB)/.test(request.url()) ? void held.push(request) : request.continue()
    for (const other of ['x', 'AB'.repeat(32)]) {
      await page.evaluate(asks, other)
      await says(page, '#payload .empty', 'The store is asked')
    }
    await page.evaluate(asks, key)
    await says(page, '#payload .known', 'Score')
    expect(held.length).toBeGreaterThanOrEqual(8)
    await Promise.all(held.map((request) => request.respond({ status: 400, body: '{"code":"OLD"}' })))
    // The page reads answers in order: after later ones, it has read the held ones.
    for (let later = 0; later < 2; later++)
      await page.waitForResponse((response) => response.url().includes('stats'))
    await says(page, '#payload .known', 'Score')
    expect(await page.$('#payload .problem')).toBeNull()
  })
})

it("the dashboard's server refuses requests from pages of other origins, and paths outside its folder", async () => {
  const asked = await fetch(`${served.url}api/stats`, { headers: { origin: 'https://evil.example' } })
  expect(asked.status).toBe(403)
  expect((await fetch(`${served.url}..%2f..%2fetc/passwd`)).status).toBe(404)
})

it("the dashboard's server aborts a request to the store when its client disconnects", async () => {
  let take = (_: Request) => {}
  const asked = new Promise<Request>((resolve) => {
    take = resolve
  })
  const server = createServer((request, response) => take(requestOf(request, response)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const leaving = new AbortController()
  const { port } = server.address() as AddressInfo
  const response = fetch(`http://127.0.0.1:${port}/api/stats`, { signal: leaving.signal })
  const { signal, url } = await asked
  expect([new URL(url).pathname, signal.aborted]).toEqual(['/api/stats', false])
  leaving.abort()
  await expect(response).rejects.toThrow()
  if (!signal.aborted) await once(signal, 'abort')
  server.close()
})
