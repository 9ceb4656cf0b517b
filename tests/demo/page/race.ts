import type { DemoPage } from './page.js'

/** A file that the page has offered. */
export interface Saved {
  readonly name: string
  readonly text: string
}

/** The longest duration of a race. */
const timeout = 60_000

/** The race panel as a visitor uses it. */
export class RacePanel {
  readonly #demo: DemoPage

  constructor(demo: DemoPage) {
    this.#demo = demo
  }

  press(name: string): Promise<void> {
    return this.#demo.click('button', name, 'race')
  }

  async choose(name: string, value: number | string): Promise<void> {
    await this.#demo.page.locator(`#race input[name="${name}"][value="${value}"]`).click()
  }

  async says(text: RegExp): Promise<void> {
    await this.#demo.page.waitForFunction(
      (wanted) => new RegExp(wanted).test(document.querySelector('#race')?.textContent ?? ''),
      { timeout },
      text.source,
    )
  }

  /** Returns the rows of the panel's tables: the cells' texts of a contestant, one list per table. */
  rows(contestant: string): Promise<string[][]> {
    return this.#demo.page.$$eval(`#race tr[data-contestant="${contestant}"]`, (rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
    )
  }

  async theme(theme: 'Light' | 'Dark'): Promise<void> {
    await this.#demo.click('radio', theme)
    // The page redraws a chart with the next frame.
    await this.#demo.page.evaluate(async () => {
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
    })
  }

  /** Returns the number of pixels of each chart in the theme's colour for the SDK's lines. */
  linePixels(): Promise<number[]> {
    return this.#demo.page.$$eval('#race canvas', (charts) => {
      const swatch = document.querySelector('#race .race-sdk .race-swatch path')
      const wanted = swatch && getComputedStyle(swatch).stroke.match(/\d+/g)?.map(Number).join()
      return charts.map((chart) => {
        const { width, height } = chart as HTMLCanvasElement
        // Read a copy, because the browser would warn about reading the original.
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

  /** Returns the file that the page offers when `press` is pressed, without writing it to the disk. */
  async saved(press: string): Promise<Saved> {
    await this.#demo.page.evaluate(keepSaved)
    await this.press(press)
    await this.#demo.page.waitForFunction(() => 'saved' in globalThis, { timeout })
    return this.#demo.page.evaluate(() => (globalThis as unknown as { saved: Saved }).saved)
  }
}

/** Keeps the offered file in `globalThis.saved`; runs in the page. */
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
