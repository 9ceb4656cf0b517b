import { type DemoPage, OPENING, PATIENCE } from './page.js'

/** The Verify panel as a visitor uses it. */
export class VerifyPanel {
  readonly #demo: DemoPage

  constructor(demo: DemoPage) {
    this.#demo = demo
  }

  /** Makes a call about this payload, and waits until it has been verified. */
  async make(action: 'Create' | 'Mutate' | 'Transit' | 'Publish', payload?: string): Promise<void> {
    if (payload !== undefined) await this.#demo.fill('Payload as text', payload)
    const { verified } = await this.#demo.tally()
    await this.#demo.click('button', action, 'make')
    await this.#demo.verifies(verified + 1)
  }

  /** Makes a call and leaves the focus where it is, as if the message came from somebody else. */
  async comesFromElsewhere(action: string): Promise<void> {
    const button = await this.#demo.find('button', action)
    await button.evaluate((element) => (element as HTMLElement).click())
  }

  /** Picks the newest message; counts are there before the list. */
  async pickNewest(): Promise<void> {
    const { verified, rejected } = await this.#demo.tally()
    const row = await this.#demo.page.waitForSelector(`#verdict-${OPENING + verified + rejected}`, PATIENCE)
    await row?.evaluate((element) => (element as HTMLElement).click())
    await this.#demo.shows('.verdict-words', 'Genuine')
  }

  /** Opens one of the samples, and waits until it has been checked. */
  async openSample(name: string): Promise<void> {
    await this.#demo.page.select('select[aria-label="Sample"]', name)
    await this.#demo.shows('#message-title', `${name} sample`)
    await this.#demo.shows('.verdict-words', 'Genuine')
  }

  /** What each check says of the message, in order. */
  marks(): Promise<string[]> {
    return this.#demo.texts('.check-marks .mark-text')
  }

  /** Flips a field, waits for the error's code, and brings the genuine one back; gives the marks in between. */
  async flip(field: string, code: string): Promise<string[]> {
    await this.#demo.click('button', `Flip ${field}`)
    await this.#demo.shows('.sdk-says code', code)
    const found = await this.marks()
    await this.#demo.click('button', 'Undo', 'verify')
    await this.#demo.shows('.verdict-words', 'Genuine')
    return found
  }
}
