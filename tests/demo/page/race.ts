import type { Browser, Page } from 'puppeteer-core'
import { inject } from 'vitest'
import { servePage } from '../../examples/demo/build/server.mjs'
import { type BrowserName, launch } from '../browsers/launch.mjs'
import { listen } from './complaints.js'

/** The built page, without a broker: the race needs none. */
export const serveRace = () => servePage({ dir: inject('demoPages').serverless })

/** What the page offered as a file. */
export interface Saved {
  readonly name: string
  readonly text: string
}

/** The race panel as a visitor uses it. */
export class RacePage {
  /** What the console said that it should not have said. */
  readonly complaints: string[] = []
  readonly #browser: Browser
  readonly #page: Page

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser
    this.#page = page
    listen(page, this.complaints, ['error', 'warn'])
  }

  /** @param flags - of the browser's command line */
  static async open(name: BrowserName, url: string, flags: readonly string[] = []): Promise<RacePage> {
    const browser = await launch(name, { args: [...flags] })
    const page = await browser.newPage()
    const race = new RacePage(browser, page)
    await page.goto(url)
    await page.waitForSelector('#race .race-controls')
    return race
  }

  close(): Promise<void> {
    return this.#browser.close()
  }

  /** Clicks a button of the panel. */
  async press(text: string): Promise<void> {
    await this.#page.locator(`#race button ::-p-text(${text})`).setTimeout(60_000).click()
  }

  /** Chooses one of a few. */
  async choose(name: string, value: number | string): Promise<void> {
    await this.#page.locator(`#race input[name="${name}"][value="${value}"]`).click()
  }

  /** Waits for a text in the panel. */
  async says(text: RegExp): Promise<void> {
    await this.#page.waitForFunction(
      (wanted) => new RegExp(wanted).test(document.querySelector('#race')?.textContent ?? ''),
      { timeout: 60_000 },
      text.source,
    )
  }

  /** The rows of the panel's tables: cells' texts by contestant, one list per table. */
  rows(contestant: string): Promise<string[][]> {
    return this.#page.$$eval(`#race tr[data-contestant="${contestant}"]`, (rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
    )
  }

  /** Chooses the page's theme. */
  async theme(theme: 'light' | 'dark'): Promise<void> {
    await this.#page.locator(`input[name="Theme"][value="${theme}"]`).click()
    // A chart is drawn anew with the next frame.
    await this.#page.evaluate(async () => {
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
    })
  }

  /** How many pixels of each chart have the colour in which the theme shows the SDK's lines. */
  linePixels(): Promise<number[]> {
    return this.#page.$$eval('#race canvas', (charts) => {
      const swatch = document.querySelector('#race .race-sdk .race-swatch path')
      const wanted = swatch && getComputedStyle(swatch).stroke.match(/\d+/g)?.map(Number).join()
      return charts.map((chart) => {
        const { width, height } = chart as HTMLCanvasElement
        // A copy: the browser would warn of reading the original.
        const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
        copy?.drawImage(chart as HTMLCanvasElement, 0, 0)
        const pixels = copy?.getImageData(0, 0, width, height).data
        const colours = Array.from({ length: width * height }, (_, at) =>
          pixels?.slice(4 * at, 4 * at + 3).join(),
        )
        return colours.filter((colour) => colour === wanted).length
      })
    })
  }

  /** The file that the page offers when `press` is pressed; it is not written to anybody's disk. */
  async saved(press: string): Promise<Saved> {
    await this.#page.evaluate(keepSaved)
    await this.press(press)
    await this.#page.waitForFunction(() => 'saved' in globalThis, { timeout: 30_000 })
    return this.#page.evaluate(() => (globalThis as unknown as { saved: Saved }).saved)
  }
}

/** Runs in the page: keeps what is offered in `globalThis.saved`. */
function keepSaved(): void {
  Reflect.deleteProperty(globalThis, 'saved')
  let blob = new Blob()
  const create = URL.createObjectURL
  URL.createObjectURL = (offered) => {
    blob = offered as Blob
    return create(offered)
  }
  HTMLAnchorElement.prototype.click = function () {
    const { download } = this
    blob.text().then((text) => Object.assign(globalThis, { saved: { name: download, text } }))
  }
}
