import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ElementHandle, Page } from 'puppeteer-core'
import { expect, onTestFinished, vi } from 'vitest'
import { HANGS_MS } from '../../support/limits.js'
import { selectorIn } from './named.js'

/** How long something may take that has to come; nothing waits this long unless it fails. */
export const PATIENCE = { timeout: HANGS_MS, interval: 50 }

/** Messages that the story signs as the page opens, before anybody does anything. */
export const OPENING = 9

/** What the page counts, without the messages of its opening. */
export interface Tally {
  readonly signed: number
  readonly verified: number
  readonly rejected: number
}

/** The page, by what a visitor sees of it: roles and names, not classes, wherever there is a choice. */
export class DemoPage {
  readonly page: Page
  readonly url: string
  /** Console errors, uncaught errors and violations of the Content-Security-Policy, the workers' included. */
  readonly problems: string[]

  /** @param listensFor what the console must not say */
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
   * Waits until it has signed and verified its first readings: what is clicked while the page still grows is missed. The count alone
   * does not show it: messages that wait in the page's outbox since an earlier visit are verified and counted before.
   */
  async ready(): Promise<void> {
    await this.page.waitForFunction(isOpen, PATIENCE, OPENING)
  }

  /** Unfolds Flow, Queue and Race. */
  async openHood(): Promise<void> {
    await expect.poll(() => this.#isHoodOpen(), PATIENCE).toBe(true)
  }

  /** A click misses what moves below the pointer because the page above it grows: then it is still closed, and is clicked again. */
  async #isHoodOpen(): Promise<boolean> {
    if (await this.page.$('#hood[open]')) return true
    await this.page.locator('#hood > summary').click()
    return (await this.page.$('#hood[open]')) !== null
  }

  /** Alters the gateway's message. */
  async tamper(): Promise<void> {
    await expect.poll(() => this.#isAltered(), PATIENCE).toBe(true)
  }

  /** As with the hood, a click that has missed is made again. */
  async #isAltered(): Promise<boolean> {
    const words = await this.text('.tampering-words')
    if (words !== '' && !words.startsWith('Change it')) return true
    const button = await this.page.$(selectorIn(this.page)('button', 'Tamper'))
    await button?.click()
    return false
  }

  /** Has the sensor call so fast while the connection is cut that the queue is full. */
  async fillQueue(): Promise<void> {
    await this.openHood()
    await this.click('checkbox', 'Cut the connection')
    await this.click('radio', 'Sensor')
    await this.click('radio', '1,000/s')
    await this.click('button', 'Start sensor')
    await this.shows('.panel-queue', /refused with QUEUE_FULL/)
  }

  /** The element with this role and accessible name, once it is there. */
  async find(role: string, name: string): Promise<ElementHandle> {
    const handle = await this.page.waitForSelector(selectorIn(this.page)(role, name), PATIENCE)
    if (!handle) throw new Error(`expected a ${role} ${JSON.stringify(name)}`)
    return handle
  }

  /** Clicks it, once it is there and enabled; in the panel with this id, where others have such a name too. */
  async click(role: string, name: string, panel?: string): Promise<void> {
    await this.#locator(role, name, panel).click()
  }

  /** Puts a text into the field with this name, in place of what is there. */
  async fill(name: string, text: string, role = 'textbox'): Promise<void> {
    await this.#locator(role, name).fill(text)
  }

  /** Gives a file to the input with this name. */
  async give(label: string, bytes: Uint8Array | string, name = 'mine'): Promise<void> {
    const dir = await mkdtemp(join(tmpdir(), 'alvarium-demo-given-'))
    onTestFinished(() => rm(dir, { recursive: true }))
    await writeFile(join(dir, name), bytes)
    const input = await this.page.waitForSelector(`input[aria-label="${label}"]`)
    await (input as ElementHandle<HTMLInputElement>).uploadFile(join(dir, name))
  }

  /** Moves the focus there, as the Tab key does. */
  async focus(css: string): Promise<void> {
    // What scrolls under the pointer would be pointed at, which takes over.
    await this.page.mouse.move(0, 0)
    const element = await this.page.waitForSelector(css, PATIENCE)
    await element?.evaluate((found) => (found as HTMLElement | SVGElement).focus())
  }

  /** What is written in each element that fits. */
  texts(css: string): Promise<string[]> {
    return this.page.$$eval(css, (all) =>
      all.map((element) => {
        // What SVG draws has no innerText.
        const text = (element as HTMLElement).innerText ?? element.textContent ?? ''
        return text.replaceAll('\u00a0', ' ')
      }),
    )
  }

  /** What is written in the first element that fits, '' if there is none. */
  async text(css: string): Promise<string> {
    const [first = ''] = await this.texts(css)
    return first
  }

  /** Waits until what is written there fits. */
  async shows(css: string, expected: string | RegExp): Promise<void> {
    await expect.poll(() => this.text(css), { ...PATIENCE, message: css }).toMatch(expected)
  }

  /** The counts at the top of the page, without what the page itself has signed as it opened. */
  async tally(): Promise<Tally> {
    const [signed = 0, verified = 0, rejected = 0] = await this.page.$$eval('.tally dd', (all) =>
      all.map(({ textContent }) => Number(textContent?.replaceAll(',', ''))),
    )
    return { signed: signed - OPENING, verified: verified - OPENING, rejected }
  }

  /** Waits until as many have been verified, or more. */
  async verifies(atLeast: number): Promise<void> {
    await vi.waitFor(
      async () => expect((await this.tally()).verified).toBeGreaterThanOrEqual(atLeast),
      PATIENCE,
    )
  }

  /** Waits until that is the tally: a message may be back, and verified, before its call has resolved. */
  async tallies(expected: Tally): Promise<void> {
    await vi.waitFor(async () => expect(await this.tally()).toEqual(expected), PATIENCE)
  }

  #locator(role: string, name: string, panel?: string) {
    return this.page.locator(selectorIn(this.page)(role, name, panel)).setTimeout(PATIENCE.timeout)
  }
}

/** Runs in the page. */
function isOpen(opening: number): boolean {
  const verified = document.querySelectorAll('.tally dd')[1]?.textContent?.replaceAll(',', '')
  const isSigned = document.querySelector('.story-foot button:enabled') !== null
  return (isSigned && Number(verified) >= opening) || document.querySelector('.no-core') !== null
}
