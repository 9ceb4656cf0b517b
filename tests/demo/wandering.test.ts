import { describe, expect, it } from 'vitest'
import type { DemoPage } from './page/page.js'
import { BROWSERS, visits } from './page/visits.js'

/**
 * Sessions, and the steps of each: `DEMO_WANDER_SESSIONS=10 DEMO_WANDER_STEPS=3000` is the long form. Each session
 * takes its own path, by its number.
 */
const SESSIONS = Number(process.env['DEMO_WANDER_SESSIONS'] ?? 4)
const STEPS = Number(process.env['DEMO_WANDER_STEPS'] ?? 40)

/** Returns a generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

async function wander({ page }: DemoPage, seed: number): Promise<void> {
  const next = numbers(seed)
  for (let step = 0; step < STEPS; step++) {
    await page.evaluate(useOne, next(), next())
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
}

/** Uses one element, in the page. Skips links to other pages, and elements that open a system dialogue. */
function useOne(which: number, how: number): void {
  const usable =
    'button:enabled, input:enabled:not([type=file]), textarea, select, summary, nav a[href^="#"], .hit, .verdict'
  const all = [...document.querySelectorAll<HTMLElement>(usable)].filter(
    (one) => !/Export|Download|camera/.test(one.innerText ?? ''),
  )
  const one = all[Math.floor(which * all.length)]
  if (one instanceof HTMLSelectElement) one.selectedIndex = Math.floor(how * one.options.length)
  else if (one instanceof HTMLTextAreaElement || one?.getAttribute('type') === 'text') {
    ;(one as HTMLInputElement).value += ['x', '{', '"', '7'][Math.floor(how * 4)]
  } else one?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
  for (const name of ['input', 'change']) one?.dispatchEvent(new Event(name, { bubbles: true }))
}

describe.each(BROWSERS)('the demo page after random clicks, in %s,', (browser) => {
  const visit = visits(browser)
  // Half of the sessions; both browsers together run all of them.
  const seeds = Array.from({ length: SESSIONS }, (_, n) => n + 1).filter(
    (n) => (n % 2 === 0) === (browser === 'firefox'),
  )

  it.each(seeds)(
    'has logged no error, and still signs and verifies (seed %i)',
    async (seed) => {
      const demo = await visit({ width: seed % 3 === 0 ? 390 : 1280 })
      await wander(demo, seed)
      await demo.reload()
      // A browser restores the scroll position, where the page's head may cover the button.
      await demo.page.evaluate(() => scrollTo(0, 0))
      await demo.tamper()
      await demo.shows('.tampering-words', 'PAYLOAD_MISMATCH')
      expect(demo.problems).toEqual([])
    },
    120_000 + 40 * STEPS,
  )
})
