import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmbedded } from '../brokers/embedded.js'
import type { BrowserName } from '../browsers/launch.mjs'
import { golden } from '../support/vectors.js'
import type { DemoPage } from './page/page.js'
import { VerifyPanel } from './page/verify.js'
import { MAYBE_BOTH, NO_WASM, visits } from './page/visits.js'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const PACK = readFileSync(new URL('../vectors/pack-1.zip', import.meta.url))

/** The widths of a phone, a tablet, a laptop and a screen. */
const WIDTHS = [390, 768, 1280, 1920]

/** Ways to use the page, each of which leaves it in another state. */
const STATES: Record<string, (demo: DemoPage) => Promise<void>> = {
  'just opened': (demo) => demo.shows('.connection', 'In this page'),
  'with an altered reading': async (demo) => {
    await demo.tamper()
    await demo.shows('.tampering-words', 'PAYLOAD_MISMATCH')
  },
  'with a message altered, and the hood open': async (demo) => {
    await demo.openHood()
    await new VerifyPanel(demo).alter('isSatisfied of annotation 1')
    await demo.shows('.sdk-says code', 'SIGNATURE_INVALID')
    await demo.click('button', 'Create')
    await demo.verifies(1)
  },
  'with the sensor on': async (demo) => {
    await demo.click('radio', 'Sensor')
    await demo.click('button', 'Start sensor')
    await demo.verifies(1)
  },
  'with a pack opened, and a key offered': async (demo) => {
    await demo.give('File to look at', PACK, 'evidence.zip')
    await demo.shows('.verdict-words', '6 of 6 messages')
    await demo.give('File to look at', golden().publicKey)
    await demo.shows('.offered', 'Trust this key?')
  },
  'offline, with a call that waits': async (demo) => {
    await demo.openHood()
    await demo.click('checkbox', 'Cut the connection')
    await demo.click('button', 'Create')
    await demo.shows('.queue-figures', /waiting\s+1 of/)
  },
}

describe.each(MAYBE_BOTH)('the demo page in %s', (browser) => {
  const visit = visits(browser)

  it.each(Object.entries(STATES))(
    '%s, has no accessibility fault that axe finds, at any width and in either colour scheme',
    async (_, use) => {
      const demo = await visit()
      await use(demo)
      expect(await violationsIn(demo, browser)).toEqual([])
    },
  )

  it('without WebAssembly, has no accessibility fault that axe finds', async () => {
    const demo = await visit({ scriptSrc: "'self'", expected: NO_WASM })
    await demo.shows('.no-core', 'WebAssembly')
    expect(await violationsIn(demo, browser)).toEqual([])
  })

  it.each([390, 1280, 1920])('at %i px, contains nothing that is wider than the page', async (width) => {
    const { url, stop } = await startEmbedded()
    onTestFinished(stop)
    const demo = await visit({ width, mode: 'broker', broker: url })
    await demo.openHood()
    await demo.click('button', 'Create')
    await demo.verifies(1)
    for (const view of ['Text', 'Hex', 'Fields']) {
      await demo.click('radio', view)
      expect(await demo.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  })

  it('has one h1, and no heading skips a level', async () => {
    const demo = await visit()
    await demo.openHood()
    const levels = await demo.page.$$eval('h1, h2, h3, h4, h5, h6', (all) =>
      all.map(({ tagName }) => Number(tagName[1])),
    )
    expect(levels.filter((level) => level === 1)).toEqual([1])
    for (const [at, level] of levels.entries()) expect(level - (levels[at - 1] ?? 0)).toBeLessThanOrEqual(1)
  })

  it('on a phone, makes every button and link at least 44 px high and wide', async () => {
    const demo = await visit({ width: 390 })
    await demo.openHood()
    const small = await demo.page.$$eval('button, label:has(input), select, summary, nav a, .brand', (all) =>
      all
        .filter((one) => one.checkVisibility())
        .map((one) => ({ text: one.textContent, box: one.getBoundingClientRect() }))
        .filter(({ box }) => box.height < 44 || box.width < 44)
        .map(({ text, box }) => `${text}: ${box.width} × ${box.height}`),
    )
    expect(small).toEqual([])
  })

  it('can be used with only the keyboard', async () => {
    const demo = await visit()
    const button = await demo.find('button', 'Tamper')
    await demo.page.waitForFunction((one) => !(one as HTMLButtonElement).disabled, {}, button)
    const isThere = () => button.evaluate((one) => one === document.activeElement)
    for (let presses = 0; presses < 20 && !(await isThere()); presses++) await demo.page.keyboard.press('Tab')
    expect(await isThere()).toBe(true)
    await demo.page.keyboard.press('Enter')
    await demo.shows('.tampering-words', 'PAYLOAD_MISMATCH')
  })
})

/**
 * Returns axe's findings at every width, light and dark. Colours depend on no width, so two are enough for the other
 * scheme.
 */
async function violationsIn(demo: DemoPage, browser: BrowserName): Promise<string[]> {
  const found: string[] = []
  for (const theme of ['Light', 'Dark'] as const) {
    await demo.click('radio', theme)
    for (const width of widthsIn(theme, browser)) {
      await demo.page.setViewport({ width, height: 900 })
      found.push(...(await violations(demo)).map((text) => `${theme}, ${width} px: ${text}`))
    }
  }
  return found
}

/** Returns the widths to check; one in Firefox, which has the same layout. */
function widthsIn(theme: 'Light' | 'Dark', browser: BrowserName): readonly number[] {
  if (browser === 'firefox') return [1280]
  return theme === 'Light' ? WIDTHS : [390, 1280]
}

/** Returns axe's findings as text: the rule, and the place. */
async function violations({ page }: DemoPage): Promise<string[]> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    // Elements that fade in have no contrast yet; removed ones cancel their animation.
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })
  // The browser evaluates it from outside, because the page's policy allows no other script.
  await page.evaluate(axeSource)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run())
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

interface Axe {
  run(): Promise<AxeResults>
}
