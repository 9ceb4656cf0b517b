import { describe, expect, it } from 'vitest'
import { BROWSERS, itOfPage, visits } from './page/visits.js'

describe.each(BROWSERS)('the story of the demo page, in %s', (browser) => {
  const visit = visits(browser)
  const ofPage = itOfPage(browser)

  it.each([
    ['a laptop', 1280, 800],
    ['a phone', 390, 844],
  ])(
    'shows the verdict on an altered reading after one click without scrolling, on %s',
    async (_, width, height) => {
      const demo = await visit({ width })
      await demo.page.setViewport({ width, height })
      await demo.reload()
      await demo.tamper()
      await demo.shows('.tampering-verdict', /✗ Payload .*27\.2 °C became 7\.2 °C|✗ Payload .* became /)
      const box = await demo.page.$eval('.tampering-verdict', (verdict) =>
        verdict.getBoundingClientRect().toJSON(),
      )
      expect(box.top).toBeGreaterThanOrEqual(0)
      expect(box.bottom).toBeLessThanOrEqual(height)
      expect(await demo.page.evaluate(() => scrollY)).toBe(0)
    },
  )

  ofPage(
    'marks the steps after an alteration with a sign and a word, and removes the marks on "Undo"',
    async () => {
      const demo = await visit()
      await demo.tamper()
      await demo.shows('.tampering-words', 'PAYLOAD_MISMATCH')
      expect((await demo.texts('.stop')).map((text) => /✗ Payload/.test(text.replace(/\s+/g, ' ')))).toEqual([
        ...[false, false],
        ...[true, true],
      ])
      await demo.click('radio', 'an answer')
      await demo.shows('.tampering-words', 'SIGNATURE_INVALID')
      await demo.click('radio', 'the signer')
      await demo.shows('.tampering-words', 'SIGNER_UNKNOWN')
      await demo.click('button', 'Undo', 'story')
      await demo.shows('.stop:nth-of-type(4)', 'all genuine')
    },
  )

  ofPage('signs three readings with three keys when the page opens, so that no panel is empty', async () => {
    const demo = await visit()
    await demo.tallies({ signed: 0, verified: 0, rejected: 0 })
    await expect.poll(async () => new Set(await demo.texts('.verdict .signer')).size).toBe(3)
    await expect.poll(() => demo.texts('.node-actions')).toHaveLength(6)
    await expect.poll(() => demo.texts('.payload-row b')).toHaveLength(6)
    await demo.shows('.verdict-words', 'Genuine')
    await expect.poll(() => demo.page.$$('.panel:not(.hood .panel) .empty')).toEqual([])
  })

  ofPage('opens the altered message in the Verify tool, with a mark at the altered value', async () => {
    const demo = await visit()
    await demo.click('radio', 'an answer')
    await demo.tamper()
    await demo.click('button', 'Inspect the message')
    await demo.shows('.sdk-says code', 'SIGNATURE_INVALID')
    const marks = await demo.page.$$eval('.marks mark', (all) => all.map(({ textContent }) => textContent))
    expect(marks).toEqual(['false'])
  })
})

describe('the story of the demo page', () => {
  // Firefox's WebDriver BiDi cannot request reduced motion yet.
  const visit = visits('chromium')

  it('does not move, but has the same text, for visitors who prefer reduced motion', async () => {
    const demo = await visit()
    await demo.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
    await demo.reload()
    await demo.shows('.stop:nth-of-type(4)', 'all genuine')
    const moving = await demo.page.evaluate(() => document.getAnimations().length)
    expect(moving).toBe(0)
  })
})
