import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest'
import { SCRIPT_SRC, servePage } from '../../../examples/demo/build/server.mjs'
import { type BrowserName, launch } from '../../browsers/launch.mjs'
import type { Mode } from '../build.js'
import { DemoPage } from './page.js'
import { startReports } from './reports.js'

/** Both browsers, for behaviour that differs: storage, keys, policies, layout, files, and pasted or dropped input. */
export const BROWSERS = ['chromium', 'firefox'] as const satisfies BrowserName[]
/**
 * Browsers for the page's own behaviour, which does not differ: Chromium, or with `DEMO_BROWSERS=all` both, which takes
 * two more minutes.
 */
export const MAYBE_BOTH: readonly BrowserName[] =
  process.env['DEMO_BROWSERS'] === 'all' ? BROWSERS : ['chromium']

/** Declares tests of the page's own behaviour, in a block for both browsers. */
export const itOfPage = (browser: BrowserName): ReturnType<typeof it.runIf> =>
  it.runIf(MAYBE_BOTH.includes(browser))

/** Browsers' messages about WebAssembly that the policy forbids. */
export const NO_WASM = /wasm-unsafe-eval|wasm-eval|WebAssembly/

/** The way in which the page is served, and its expected errors. */
export interface Visit {
  readonly mode?: Mode
  /** The address of the broker, with `mode: 'broker'`. */
  readonly broker?: string
  readonly scriptSrc?: string
  /** The address of a page that is already served. */
  readonly url?: string
  readonly host?: string
  readonly width?: number
  readonly theme?: 'Light' | 'Dark'
  /** Forbidden kinds of console output; errors by default. */
  readonly listensFor?: readonly ('error' | 'warn')[]
  /** Console errors that belong to the test; any other fails it. */
  readonly expected?: RegExp
}

interface Opened {
  readonly demo: DemoPage
  /** Leaves the page, and fails if it logged unexpected errors. */
  close(): Promise<void>
}

/** Starts a browser for the tests of a block; each visit has a fresh profile, and its own server. */
export function visits(name: BrowserName): (visit?: Visit) => Promise<DemoPage> {
  const browser = browserOf(name)
  return async (visit = {}) => {
    const { demo, close } = await open(browser(), visit)
    onTestFinished(close)
    return demo
  }
}

/** Opens one visit for all tests of a block; each continues where the previous one ended. */
export function longVisit(name: BrowserName, visit: Visit, flags: readonly string[] = []): () => DemoPage {
  const browser = browserOf(name, flags)
  let opened: Opened
  beforeAll(async () => {
    opened = await open(browser(), visit)
  })
  afterAll(() => opened.close())
  return () => opened.demo
}

/** @param flags - of the browser's command line */
function browserOf(name: BrowserName, flags: readonly string[] = []): () => Browser {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch(name, { args: [...flags] })
  })
  afterAll(() => browser.close())
  return () => browser
}

async function open(browser: Browser, visit: Visit): Promise<Opened> {
  const { width = 1280, theme, listensFor = ['error'], expected } = visit
  const served = await serve(visit)
  const context = await browser.createBrowserContext()
  const demo = new DemoPage(await context.newPage(), served.url, served.problems, listensFor)
  const close = async () => {
    await context.close()
    await served.close()
    expect(demo.problems.filter((problem) => !expected?.test(problem))).toEqual([])
  }
  await demo.open(width)
  if (theme) await demo.click('radio', theme)
  return { demo, close }
}

async function serve({ mode = 'serverless', broker, scriptSrc = SCRIPT_SRC, url, host }: Visit) {
  const reports = await startReports()
  const policy = `${scriptSrc}; report-uri ${reports.url}`
  const dir = inject('demoPages')[mode]
  const server = await servePage({ dir, scriptSrc: policy, ...(broker && { broker }) })
  const address = new URL(url ?? server.url)
  if (host) address.hostname = host
  const close = async () => {
    await server.close()
    await reports.close()
  }
  return { url: address.href, problems: reports.violations, close }
}
