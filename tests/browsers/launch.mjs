import puppeteer from 'puppeteer-core'
import { CHROMIUM } from '../../examples/shared/chromium.mjs'
import { find } from '../../js/build/debian.mjs'

/** The settings of each browser: Firefox is a stock one, driven over WebDriver BiDi. */
const BROWSERS = /** @type {const} */ ({
  chromium: { browser: 'chrome', commands: ['chromium'], args: CHROMIUM.args },
  firefox: { browser: 'firefox', commands: ['firefox-esr', 'firefox'], args: [] },
})

/** Longer than any step in a browser takes, on a slow and busy machine. */
const HANGS_MS = 100_000

/** @typedef {keyof typeof BROWSERS} BrowserName */

/**
 * Starts a headless browser with a fresh profile; the caller must close it.
 *
 * @example
 * const browser = await launch('firefox')
 * const page = await browser.newPage()
 * await page.goto('http://127.0.0.1:8000/')
 * await browser.close()
 *
 * @param {BrowserName} name
 * @param {Pick<import('puppeteer-core').LaunchOptions, 'args' | 'acceptInsecureCerts' | 'pipe' | 'enableExtensions'>} [options] `args`: more
 * flags of the command line
 * @returns {Promise<import('puppeteer-core').Browser>}
 * @throws {Error} when none of the browser's commands is on PATH, or when it does not start within 100 s
 */
export async function launch(name, options = {}) {
  const { browser, commands, args } = BROWSERS[name]
  const executablePath = commands.map(find).find((path) => path !== undefined)
  if (!executablePath) throw new Error(`expected ${commands.join(' or ')} on PATH, found none`)
  const started = await puppeteer.launch({
    ...options,
    browser,
    executablePath,
    args: [...args, ...(options.args ?? [])],
    headless: true,
    timeout: HANGS_MS,
  })
  const newPage = started.newPage.bind(started)
  started.newPage = async () => {
    const page = await newPage()
    page.setDefaultTimeout(HANGS_MS)
    return page
  }
  return started
}
