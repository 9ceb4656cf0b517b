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

  /** Makes a call without moving the focus, as if another sender had published the message. */
  async comesFromElsewhere(action: string): Promise<void> {
    const button = await this.#demo.find('button', action)
    await button.evaluate((element) => (element as HTMLElement).click())
  }

  /** Picks the newest message, after the list has caught up with the counts. */
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

  /** Returns the result of each check of the message, in order. */
  marks(): Promise<string[]> {
    return this.#demo.texts('.check-marks .mark-text')
  }

  async openFields(): Promise<void> {
    if (await this.#demo.page.$('.edit-fields[open]')) return
    await this.#demo.page.locator('.edit-fields > summary').click()
    await this.#demo.page.waitForSelector('.tamper')
  }

  async alter(field: string): Promise<void> {
    if (field !== 'payload') await this.openFields()
    // The verdict covers elements at the lower edge.
    const button = await this.#demo.find('button', `Flip ${field}`)
    await button.evaluate((one) => one.scrollIntoView({ block: 'center', behavior: 'instant' }))
    await button.click()
  }

  async tap(piece: string): Promise<void> {
    const { page } = this.#demo
    await page.$eval('.marked-editor', (editor) =>
      editor.scrollIntoView({ block: 'center', behavior: 'instant' }),
    )
    const place = await page.$eval('.marks', placeOf, piece)
    await page.mouse.click(place.x, place.y)
  }

  /** Flips a field, waits for the error's code, and restores the field. Returns the marks in between. */
  async flip(field: string, code: string): Promise<string[]> {
    await this.alter(field)
    await this.#demo.shows('.sdk-says code', code)
    const found = await this.marks()
    await this.#demo.click('button', 'Undo', 'verify')
    await this.#demo.shows('.verdict-words', 'Genuine')
    return found
  }
}

/** Returns the centre of a piece of text, which is drawn below the clickable field; runs in the page. */
function placeOf(marks: Element, piece: string): { readonly x: number; readonly y: number } {
  const texts = document.createTreeWalker(marks, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const at = node.nodeValue?.indexOf(piece) ?? -1
    if (at < 0) continue
    const range = document.createRange()
    range.setStart(node, at)
    range.setEnd(node, at + piece.length)
    const { x, y, width, height } = range.getClientRects()[0] ?? new DOMRect()
    return { x: x + width / 2, y: y + height / 2 }
  }
  throw new Error(`expected ${piece} in the message`)
}
