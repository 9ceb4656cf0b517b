import type { Page } from 'puppeteer-core'
import { inject } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { servePage } from '../../examples/demo/build/server.mjs'
import { type BrowserName, launch } from '../browsers/launch.mjs'
import { listen } from './complaints.js'

/** The built page on a web server, and its broker. */
export async function serveDemo() {
  const broker = await startBroker()
  const served = await servePage({ dir: inject('demoPages').broker, broker: broker.url })
  return {
    url: served.url,
    close: async () => {
      await served.close()
      await broker.close()
    },
  }
}

/** A visitor with the page open, who can press what has a name and read what is written. */
export class Visitor {
  readonly page: Page
  /** What the page has complained about in the browser's console. */
  readonly complaints: string[] = []
  readonly close: () => Promise<void>

  private constructor(page: Page, close: () => Promise<void>) {
    this.page = page
    this.close = close
    listen(page, this.complaints)
  }

  static async open(name: BrowserName, url: string): Promise<Visitor> {
    const browser = await launch(name)
    const page = await browser.newPage()
    const visitor = new Visitor(page, () => browser.close())
    page.setDefaultTimeout(10_000)
    await page.setViewport({ width: 1280, height: 900 })
    await page.goto(url)
    await visitor.reads('.connection-text', 'Connected to broker')
    return visitor
  }

  /** Presses the button with this text or label, as soon as it can be pressed. */
  async press(name: string, inside = ''): Promise<void> {
    const named = `normalize-space()="${name}" or @aria-label="${name}"`
    const scope = inside === '' ? '' : `//*[@id="${inside}"]`
    const selector = `xpath/.${scope}//button[not(@disabled) and (${named})]`
    const button = await this.page.waitForSelector(selector)
    await button?.evaluate((element) => (element as HTMLElement).click())
  }

  /** Types something else into a field, by its label. */
  async fill(label: string, text: string): Promise<void> {
    const field = await this.page.waitForSelector(`[aria-label="${label}"]`)
    await field?.evaluate((element, value) => {
      ;(element as HTMLInputElement).value = value
      element.dispatchEvent(new Event('input', { bubbles: true }))
    }, text)
  }

  /** Waits until the first such element has this text in it. */
  async reads(selector: string, text: string): Promise<void> {
    const isThere = (css: string, expected: string) =>
      document.querySelector(css)?.textContent?.replaceAll('\u00a0', ' ').includes(expected) === true
    await this.page.waitForFunction(isThere, {}, selector, text).catch(async () => {
      throw new Error(`${selector}: expected ${text}, got ${await this.textsOf(selector)}`)
    })
  }

  /** What is written in all such elements. */
  textsOf(selector: string): Promise<string[]> {
    return this.page.$$eval(selector, (all) =>
      all.map((element) => (element.textContent ?? '').replaceAll('\u00a0', ' ')),
    )
  }

  /** Moves the focus there, as the Tab key does. */
  async focus(selector: string): Promise<void> {
    const element = await this.page.waitForSelector(selector)
    await element?.evaluate((found) => (found as HTMLElement | SVGElement).focus())
  }

  /** Makes a call about this payload, and waits until it has been verified. */
  async make(action: 'Create' | 'Mutate' | 'Transit' | 'Publish', payload?: string): Promise<void> {
    if (payload !== undefined) await this.fill('Payload as text', payload)
    const [before = 0] = await this.counts()
    await this.press(action, 'make')
    await this.reads('.panel-verify .panel-aside', `${before + 1} verified`)
  }

  /** Picks the newest message; counts are there before the list. */
  async pickNewest(): Promise<void> {
    const [verified = 0, rejected = 0] = await this.counts()
    const row = await this.page.waitForSelector(`#verdict-${verified + rejected}`)
    await row?.evaluate((element) => (element as HTMLElement).click())
    await this.reads('.verdict-words', 'Genuine')
  }

  /** Messages verified, and rejected. */
  async counts(): Promise<number[]> {
    const [text = ''] = await this.textsOf('.panel-verify .panel-aside')
    return Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits))
  }
}
