import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest'
import { SCRIPT_SRC, servePage } from '../../../examples/demo/build/server.mjs'
import { type BrowserName, launch } from '../../browsers/launch.mjs'
import type { Mode } from '../build.js'
import { DemoPage } from './page.js'
import { startReports } from './reports.js'

/** Both, for what each does in its own way: storage, keys, policies, layout, files, and what is pasted or dropped. */
export const BROWSERS = ['chromium', 'firefox'] as const satisfies BrowserName[]
/**
 * For what the page does by itself alone, in which browsers do not differ: Chromium, and with `DEMO_BROWSERS=all` both, which takes
 * two minutes more.
 */
export const MAYBE_BOTH: readonly BrowserName[] =
  process.env['DEMO_BROWSERS'] === 'all' ? BROWSERS : ['chromium']

/** Declares tests of what the page does by itself, in a block that has both browsers. */
export const itOfPage = (browser: BrowserName): ReturnType<typeof it.runIf> =>
  it.runIf(MAYBE_BOTH.includes(browser))

/** What browsers say of WebAssembly that the policy forbids. */
export const NO_WASM = /wasm-unsafe-eval|wasm-eval|WebAssembly/

/** How the page is served, and what may go wrong in it. */
export interface Visit {
  readonly mode?: Mode
  /** Address of the broker, with `mode: 'broker'`. */
  readonly broker?: string
  readonly scriptSrc?: string
  /** Where the page is served already. */
  readonly url?: string
  /** The host's name in the address. */
  readonly host?: string
  readonly width?: number
  readonly theme?: 'Light' | 'Dark'
  /** What the console must not say: errors, unless told otherwise. */
  readonly listensFor?: readonly ('error' | 'warn')[]
  /** Console errors that belong to the test; any other fails it. */
  readonly expected?: RegExp
}

interface Opened {
  readonly demo: DemoPage
  /** Leaves the page, and complains of what it complained of. */
  close(): Promise<void>
}

/** Starts a browser for the tests of a block; each visit is a fresh profile, with the page served for it alone. */
export function visits(name: BrowserName): (visit?: Visit) => Promise<DemoPage> {
  const browser = browserOf(name)
  return async (visit = {}) => {
    const { demo, close } = await open(browser(), visit)
    onTestFinished(close)
    return demo
  }
}

/** One visit for all tests of a block, each of which finds the page as the one before has left it. */
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
