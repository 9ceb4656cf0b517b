import type { Browser, ElementHandle, Page } from 'puppeteer-core'
import { afterAll, beforeAll, expect, inject, onTestFinished, vi } from 'vitest'
import { servePage } from '../../examples/demo/build/server.mjs'
import { type BrowserName, launch } from '../browsers/launch.mjs'
import type { Mode } from './build.js'
import { listen } from './complaints.js'
import { startReports } from './reports.js'

/** Every test of the page runs in each. */
export const BROWSERS = ['chromium', 'firefox'] as const satisfies BrowserName[]

/** What browsers say of WebAssembly that the policy forbids. */
export const NO_WASM = /wasm-unsafe-eval|wasm-eval|WebAssembly/

/** How long something may take that has to come; nothing waits this long unless it fails. */
const PATIENCE = { timeout: 20_000, interval: 50 }

/** How the page is served, and what may go wrong in it. */
export interface Visit {
  readonly mode?: Mode
  /** Address of the broker, with `mode: 'broker'`. */
  readonly broker?: string
  readonly scriptSrc?: string
  /** Where the page is served already. */
  readonly url?: string
  readonly width?: number
  readonly theme?: 'Light' | 'Dark'
  /** Console errors that belong to the test; any other fails it. */
  readonly expected?: RegExp
}

/** Starts a browser for the tests of a block; each `open` is a fresh profile, with the page served for it alone. */
export function visits(name: BrowserName): (visit?: Visit) => Promise<DemoPage> {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(name)
  })
  afterAll(() => browser.close())
  return (visit = {}) => open(browser, visit)
}

async function open(browser: Browser, visit: Visit): Promise<DemoPage> {
  const { mode = 'serverless', broker, scriptSrc = "'self' 'wasm-unsafe-eval'" } = visit
  const reports = await startReports()
  const policy = `${scriptSrc}; report-uri ${reports.url}`
  const dir = inject('demoPages')[mode]
  const server = await servePage({ dir, scriptSrc: policy, ...(broker && { broker }) })
  const context = await browser.createBrowserContext()
  const demo = new DemoPage(await context.newPage(), visit.url ?? server.url, reports.violations)
  onTestFinished(async () => {
    await context.close()
    await server.close()
    await reports.close()
    const { expected } = visit
    expect(demo.problems.filter((problem) => !expected?.test(problem))).toEqual([])
  })
  await demo.open(visit)
  return demo
}

/** The page, by what a visitor sees of it: roles and names, not classes, wherever there is a choice. */
export class DemoPage {
  readonly page: Page
  readonly url: string
  /** Console errors, uncaught errors and violations of the Content-Security-Policy, the workers' included. */
  readonly problems: string[]

  constructor(page: Page, url: string, problems: string[]) {
    this.page = page
    this.url = url
    this.problems = problems
    listen(page, problems)
  }

  async open({ width = 1280, theme }: Visit): Promise<void> {
    await this.page.setViewport({ width, height: 900 })
    await this.page.goto(this.url)
    // What is clicked while the page still grows is missed.
    await this.page.waitForSelector('.story button:enabled, .no-core', PATIENCE)
    if (theme) await this.click('radio', theme)
  }

  /** The element with this role and accessible name, once it is there. */
  async find(role: string, name: string): Promise<ElementHandle> {
    const selector = `::-p-aria(${name}[role="${role}"])`
    const handle = await this.page.waitForSelector(selector, PATIENCE)
    if (!handle) throw new Error(`expected a ${role} ${JSON.stringify(name)}`)
    return handle
  }

  /** Clicks it, once it is there and enabled. */
  async click(role: string, name: string): Promise<void> {
    await this.page.locator(`::-p-aria(${name}[role="${role}"])`).setTimeout(PATIENCE.timeout).click()
  }

  /** Puts a text into the field with this name, in place of what is there. */
  async fill(name: string, text: string, role = 'textbox'): Promise<void> {
    await this.page.locator(`::-p-aria(${name}[role="${role}"])`).setTimeout(PATIENCE.timeout).fill(text)
  }

  /** What is written in the first element that fits, '' if there is none. */
  text(selector: string): Promise<string> {
    return this.page.evaluate((css) => {
      const element = document.querySelector<HTMLElement>(css)
      return element?.innerText ?? ''
    }, selector)
  }

  /** Waits until what is written there fits. */
  async shows(selector: string, expected: string | RegExp): Promise<void> {
    await expect.poll(() => this.text(selector), PATIENCE).toMatch(expected)
  }

  /** The counts at the top of the page. */
  async tally(): Promise<{ signed: number; verified: number; rejected: number }> {
    const [signed = 0, verified = 0, rejected = 0] = await this.page.$$eval('.tally dd', (all) =>
      all.map(({ textContent }) => Number(textContent?.replaceAll(',', ''))),
    )
    return { signed, verified, rejected }
  }

  /** Waits until as many have been verified, or more. */
  async verifies(atLeast: number): Promise<void> {
    await vi.waitFor(
      async () => expect((await this.tally()).verified).toBeGreaterThanOrEqual(atLeast),
      PATIENCE,
    )
  }
}
