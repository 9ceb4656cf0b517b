import { describe, expect, it } from 'vitest'
import type { DemoPage } from './page/page.js'
import { BROWSERS, itOfPage, visits } from './page/visits.js'

describe.each(BROWSERS)('the signing key of the demo page, in %s', (browser) => {
  const visit = visits(browser)
  const ofPage = itOfPage(browser)

  it('is created in the page, and used again after a reload', async () => {
    const demo = await visit()
    const made = await keyId(demo)
    await demo.shows('.panel-make', 'Made just now')
    await demo.reload()
    await demo.shows('.panel-make', 'Found in this browser’s IndexedDB')
    expect(await keyId(demo)).toBe(made)
  })

  ofPage('does not move the lineage panel when it appears', async () => {
    const demo = await visit()
    await demo.page.evaluateOnNewDocument(() => {
      const seen: number[] = []
      Object.assign(globalThis, { seen })
      const look = () => {
        const panel = document.querySelector<HTMLElement>('.panel-lineage')
        if (panel) seen.push(panel.offsetTop)
        requestAnimationFrame(look)
      }
      look()
    })
    await demo.reload()
    await demo.shows('.panel-make', 'Found in this browser’s IndexedDB')
    const places = await demo.page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen)
    expect(new Set(places).size).toBe(1)
  })

  ofPage(
    'can be replaced by a new key for later calls, and messages of the old key remain verified',
    async () => {
      const demo = await visit()
      const before = await keyId(demo)
      await demo.click('button', 'Create')
      await demo.verifies(1)
      await demo.click('button', 'New key pair')
      await expect.poll(() => keyId(demo)).not.toBe(before)
      await demo.click('button', 'Create')
      await demo.verifies(2)
      await demo.openHood()
      await demo.shows('.fields', await keyId(demo))
      expect((await demo.tally()).rejected).toBe(0)
    },
  )

  it('can be non-extractable: it signs and is stored, and cannot be exported', async () => {
    const demo = await visit()
    await demo.click('button', 'New non-extractable key pair')
    await demo.shows('.panel-make', 'in the browser (WebCrypto)')
    const made = await keyId(demo)
    await demo.reload()
    expect(await keyId(demo)).toBe(made)
    await demo.click('button', 'Create')
    await demo.verifies(1)
    expect(await demo.page.$('::-p-aria(Export private[role="button"])')).toBeNull()
  })

  ofPage('can be exported, as a public and as a private key, in the format of the other SDKs', async () => {
    const demo = await visit()
    await keyId(demo)
    await demo.page.evaluate(rememberFiles)
    await demo.click('button', 'Export public')
    await demo.click('button', 'Export private')
    await expect.poll(() => files(demo)).toHaveLength(2)
    const [publicKey = '', privateKey = ''] = await files(demo)
    expect(publicKey).toMatch(/^[0-9a-f]{64}$/)
    expect(privateKey).toMatch(/^[0-9a-f]{128}$/)
    expect(privateKey.slice(64)).toBe(publicKey)
  })
})

/** Returns the key id on the page, once it is shown. */
async function keyId({ page }: DemoPage): Promise<string> {
  const shown = await page.waitForSelector('.panel-make [aria-busy="false"] .pairs dd code')
  return (await shown?.evaluate((code) => code.textContent)) ?? ''
}

interface WithFiles {
  files?: Blob[]
}

/** Keeps the files that the page offers, because headless browsers drop them; runs in the page. */
function rememberFiles(): void {
  const kept: Blob[] = []
  ;(globalThis as WithFiles).files = kept
  const make = URL.createObjectURL
  URL.createObjectURL = (blob) => {
    kept.push(blob as Blob)
    return make(blob)
  }
}

function files({ page }: DemoPage): Promise<string[]> {
  return page.evaluate(() => Promise.all(((globalThis as WithFiles).files ?? []).map((file) => file.text())))
}
