// @slow: it starts two browsers

import { createPublicKey } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { toHex } from 'alvarium-sdk'
import type { ElementHandle, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { packPage } from '../../examples/pack-page/build.mjs'
import { launch } from '../browsers/launch.mjs'
import { about, evidence, logged, packed } from '../support/packs.js'
import { partChanged, remade } from '../support/zip.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alvarium-pack-page-'))
  await writeFile(join(folder, 'pack.html'), await packPage())
})
afterAll(() => rm(folder, { recursive: true }))

const textOf = (page: Page, selector: string) =>
  page.waitForSelector(selector).then((found) => found?.evaluate((element) => element.textContent ?? ''))

/** How the verdict is coloured. */
const looks = (page: Page) => page.$eval('.says', ({ className }) => className)

/** Runs in the page. */
function fill(field: Element, text: string): void {
  Object.assign(field, { value: text }).dispatchEvent(new Event('input', { bubbles: true }))
}

describe.each(['chromium', 'firefox'] as const)('the page of packs, opened from a file in %s,', (name) => {
  let browser: Awaited<ReturnType<typeof launch>>
  beforeAll(async () => {
    browser = await launch(name)
  })
  afterAll(() => browser.close())

  /** The page with a pack, and what it says of it. */
  async function opened(pack: Uint8Array, width = 1280, trusted = '') {
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.setViewport({ width, height: 900 })
    await page.goto(pathToFileURL(join(folder, 'pack.html')).href)
    if (trusted !== '') {
      await page.click('summary')
      await page.type('textarea', trusted)
    }
    const file = join(folder, `${name}-${width}.zip`)
    await writeFile(file, pack)
    const input = (await page.waitForSelector('input[type=file]')) as ElementHandle<HTMLInputElement>
    await input.uploadFile(file)
    return { page, errors, says: await textOf(page, '.says') }
  }

  // claim: packs-8
  it('comes to the same bytes of the verdict as Node, and says in a sentence what the pack shows', async () => {
    const { messages, trust, verifyingKey } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const { says, page, errors } = await opened(bytes)
    expect(says).toMatch(
      /^✓ About the payload .+; 3 of 3 messages verified, score 100 %, by the pack's own policy; /,
    )
    expect(await textOf(page, 'section:last-of-type')).toContain('Its author says who may be trusted')
    expect(await textOf(page, '.lineage-graph')).toContain('2 bundles')
    const own = await opened(bytes, 390, toHex(verifyingKey))
    expect(own.says).toContain('3 of 3 messages verified by your own policy')
    // What its author says of itself is not shown like what the reader knows.
    expect([await looks(page), await looks(own.page)]).toEqual(['says unsure', 'says good'])
    expect(await own.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect([...errors, ...own.errors]).toEqual([])
  })

  it('takes public keys in every form, and policies of one line; of what is neither, it does not say that the pack is refused', async () => {
    const { messages, trust, verifyingKey } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(verifyingKey).toString('base64url') },
      format: 'jwk',
    })
    const { page } = await opened(bytes)
    await page.click('summary')
    const pem = key.export({ type: 'spki', format: 'pem' })
    for (const [trusted, expected] of [
      [`${pem}${toHex(verifyingKey)}\n${pem}`, 'verified by your own policy'],
      [JSON.stringify(key.export({ format: 'jwk' })), 'verified by your own policy'],
      [`signers: [{ name: x, keys: ["${toHex(verifyingKey)}"] }]`, 'verified by your own policy'],
      ['no key', '✗ What you trust is refused. '],
    ]) {
      await page.$eval('textarea', fill, trusted as string)
      await page.$eval('.says', (says) => says.setAttribute('data-old', ''))
      // The same file again.
      const input = (await page.$('input[type=file]')) as ElementHandle<HTMLInputElement>
      expect(await input.evaluate(({ value }) => value)).toBe('')
      await input.uploadFile(join(folder, `${name}-1280.zip`))
      await page.waitForFunction(
        (text) => document.querySelector('.says:not([data-old])')?.textContent?.includes(text),
        {},
        expected as string,
      )
    }
  })

  // claim: packs-9
  it('shows what does not verify, and what is missing', async () => {
    const { messages, notes, trust, keyId } = await logged(6)
    const run = /1\/\w{32}\/(\w{32})/.exec(new TextDecoder().decode(notes[0]))?.[1] as string
    const range = { log: { signer: keyId, run, from: 0, until: 6 } }
    const { bytes } = await packed(messages.slice(1), { about: range, trust, checkpoints: notes })
    const part = 'messages/00000.ndjson'
    const altered = remade(
      bytes,
      partChanged(part, (text) => text.replace('edge-7', 'edge-8')),
    )
    const { says, page } = await opened(altered)
    expect(says).toContain('4 of 5 messages verified, 1 refused')
    const problems = await page.$$eval('.problem', (all) => all.map(({ textContent }) => textContent))
    expect(problems).toEqual([
      'The verdict in the pack is not the one that its messages give here.',
      '2 that should be in the pack are not.',
      expect.stringMatching(/^Signer \w{32}: 2 messages of its log are not here, and 0 are in no log\.$/),
      expect.stringMatching(/^messages\/00000\.ndjson, line 1: SIGNATURE_INVALID\./),
    ])
  })

  it('refuses what is no pack, and says why', async () => {
    expect((await opened(new Uint8Array(100))).says).toContain('is refused. pack: expected')
  })
})
