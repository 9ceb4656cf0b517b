import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ElementHandle, Page } from 'puppeteer-core'
import { expect, onTestFinished, vi } from 'vitest'
import { HANGS_MS } from '../../support/limits.js'
import { selectorIn } from './named.js'

/** The timeout for expected events; only a failing test waits this long. */
export const PATIENCE = { timeout: HANGS_MS, interval: 50 }

/** The messages that the story signs on opening, before any visitor acts. */
export const OPENING = 9

/** The page's counts, without the messages of its opening. */
export interface Tally {
  readonly signed: number
  readonly verified: number
  readonly rejected: number
}

/** The demo page as a visitor sees it: found by roles and names, not classes, where possible. */
export class DemoPage {
  readonly page: Page
  readonly url: string
  /** Console errors, uncaught errors and violations of the Content-Security-Policy, also of the workers. */
  readonly problems: string[]

  /** @param listensFor forbidden kinds of console output */
  constructor(page: Page, url: string, problems: string[], listensFor: readonly string[]) {
    this.page = page
    this.url = url
    this.problems = problems
    page.setDefaultTimeout(PATIENCE.timeout)
    page.on('console', (said) => {
      if (listensFor.includes(said.type())) problems.push(said.text())
    })
    page.on('pageerror', (error) => problems.push(String(error)))
  }

  async open(width: number): Promise<void> {
    await this.page.setViewport({ width, height: 900 })
    await this.page.goto(this.url)
    await this.ready()
  }

  /** Loads the page again. */
  async reload(): Promise<void> {
    await this.page.reload()
    await this.ready()
  }

  /**
   * Waits until the page has signed and verified its first readings, because clicks miss while it grows. The count
   * alone does not suffice: messages of an earlier visit in the page's outbox are verified and counted earlier.
   */
  async ready(): Promise<void> {
    await this.page.waitForFunction(isOpen, PATIENCE, OPENING)
  }

  /** Opens the section with Flow, Queue and Race. */
  async openHood(): Promise<void> {
    await expect.poll(() => this.#isHoodOpen(), PATIENCE).toBe(true)
  }

  /** Clicks until the section is open. A click misses an element that moves while the page above it grows. */
  async #isHoodOpen(): Promise<boolean> {
    if (await this.page.$('#hood[open]')) return true
    await this.page.locator('#hood > summary').click()
    return (await this.page.$('#hood[open]')) !== null
  }

  /** Alters the gateway's message. */
  async tamper(): Promise<void> {
    await expect.poll(() => this.#isAltered(), PATIENCE).toBe(true)
  }

  /** Clicks again if the first click missed, as for the section. */
  async #isAltered(): Promise<boolean> {
    const words = await this.text('.tampering-words')
    if (words !== '' && !words.startsWith('Change it')) return true
    const button = await this.page.$(selectorIn(this.page)('button', 'Tamper'))
    await button?.click()
    return false
  }

  /** Lets the sensor call at full speed without a connection until the queue is full. */
  async fillQueue(): Promise<void> {
    await this.openHood()
    await this.click('checkbox', 'Cut the connection')
    await this.click('radio', 'Sensor')
    await this.click('radio', '1,000/s')
    await this.click('button', 'Start sensor')
    await this.shows('.panel-queue', /refused with QUEUE_FULL/)
  }

  /** Returns the element with this role and accessible name, once it exists. */
  async find(role: string, name: string): Promise<ElementHandle> {
    const handle = await this.page.waitForSelector(selectorIn(this.page)(role, name), PATIENCE)
    if (!handle) throw new Error(`expected a ${role} ${JSON.stringify(name)}`)
    return handle
  }

  /** Clicks an element once it exists and is enabled, in the panel with this id if the name is not unique. */
  async click(role: string, name: string, panel?: string): Promise<void> {
    await this.#locator(role, name, panel).click()
  }

  async fill(name: string, text: string, role = 'textbox'): Promise<void> {
    await this.#locator(role, name).fill(text)
  }

  /** Passes a file to the input with this name. */
  async give(label: string, bytes: Uint8Array | string, name = 'mine'): Promise<void> {
    const dir = await mkdtemp(join(tmpdir(), 'alvarium-demo-given-'))
    onTestFinished(() => rm(dir, { recursive: true }))
    await writeFile(join(dir, name), bytes)
    const input = await this.page.waitForSelector(`input[aria-label="${label}"]`)
    await (input as ElementHandle<HTMLInputElement>).uploadFile(join(dir, name))
  }

  /** Moves the focus to an element, as the Tab key does. */
  async focus(css: string): Promise<void> {
    // An element that scrolls under the pointer would be hovered, which has priority.
    await this.page.mouse.move(0, 0)
    const element = await this.page.waitForSelector(css, PATIENCE)
    await element?.evaluate((found) => (found as HTMLElement | SVGElement).focus())
  }

  texts(css: string): Promise<string[]> {
    return this.page.$$eval(css, (all) =>
      all.map((element) => {
        // SVG elements have no innerText.
        const text = (element as HTMLElement).innerText ?? element.textContent ?? ''
        return text.replaceAll('\u00a0', ' ')
      }),
    )
  }

  /** Returns the text of the first matching element, '' if there is none. */
  async text(css: string): Promise<string> {
    const [first = ''] = await this.texts(css)
    return first
  }

  /** Waits until the element's text matches. */
  async shows(css: string, expected: string | RegExp): Promise<void> {
    await expect.poll(() => this.text(css), { ...PATIENCE, message: css }).toMatch(expected)
  }

  /** Returns the counts at the top of the page, without the messages of its opening. */
  async tally(): Promise<Tally> {
    const [signed = 0, verified = 0, rejected = 0] = await this.page.$$eval('.tally dd', (all) =>
      all.map(({ textContent }) => Number(textContent?.replaceAll(',', ''))),
    )
    return { signed: signed - OPENING, verified: verified - OPENING, rejected }
  }

  /** Waits until at least this many messages are verified. */
  async verifies(atLeast: number): Promise<void> {
    await vi.waitFor(
      async () => expect((await this.tally()).verified).toBeGreaterThanOrEqual(atLeast),
      PATIENCE,
    )
  }

  /** Waits for this tally: a message may return and be verified before its call has resolved. */
  async tallies(expected: Tally): Promise<void> {
    await vi.waitFor(async () => expect(await this.tally()).toEqual(expected), PATIENCE)
  }

  #locator(role: string, name: string, panel?: string) {
    return this.page.locator(selectorIn(this.page)(role, name, panel)).setTimeout(PATIENCE.timeout)
  }
}

/** Returns whether the page has verified its opening messages; runs in the page. */
function isOpen(opening: number): boolean {
  const verified = document.querySelectorAll('.tally dd')[1]?.textContent?.replaceAll(',', '')
  const isSigned = document.querySelector('.story-foot button:enabled') !== null
  return (isSigned && Number(verified) >= opening) || document.querySelector('.no-core') !== null
}
