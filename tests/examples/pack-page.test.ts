// @slow: it starts two browsers

import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { toHex } from 'alvarium-sdk'
import type { AxeResults } from 'axe-core'
import type { ElementHandle, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { packPage } from '../../examples/pack-page/build.mjs'
import { launch } from '../browsers/launch.mjs'
import { craftedBundle, keyOfText } from '../support/crafted.js'
import { about, evidence, logged, packed, signer } from '../support/packs.js'
import { partChanged, remade } from '../support/zip.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alvarium-pack-page-'))
  await writeFile(join(folder, 'pack.html'), await packPage())
})
afterAll(() => rm(folder, { recursive: true }))

const textOf = (page: Page, selector: string) =>
  page.waitForSelector(selector).then((found) => found?.evaluate((element) => element.textContent ?? ''))

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  run(): Promise<AxeResults>
}

/** Returns the colour of the verdict. */
const looks = (page: Page) => page.$eval('.says', ({ className }) => className)

const figures = (page: Page) =>
  page.$$eval('.figures div', (rows) =>
    rows.map((row) => [...row.children].map((one) => one.textContent).join(' ')),
  )

/** Fills a field; runs in the page. */
function fill(field: Element, text: string): void {
  Object.assign(field, { value: text }).dispatchEvent(new Event('input', { bubbles: true }))
}

describe.each(['chromium', 'firefox'] as const)('the page for packs, opened from a file in %s,', (name) => {
  let browser: Awaited<ReturnType<typeof launch>>
  beforeAll(async () => {
    browser = await launch(name)
  })
  afterAll(() => browser.close())

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

  it.runIf(name === 'chromium')(
    'has no accessibility fault that axe finds, on a phone and on a large screen',
    async () => {
      const { messages, trust } = await evidence()
      const { bytes } = await packed(messages, { about, trust })
      for (const width of [320, 390, 1280]) {
        const { page } = await opened(bytes, width)
        await textOf(page, '.table')
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
        // The browser evaluates it from outside, because the page's policy allows no other script.
        await page.evaluate(axeSource)
        const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run())
        expect([width, violations.map(({ id }) => id)]).toEqual([width, []])
      }
    },
  )

  // claim: packs-8
  it('computes the same verdict as Node, byte for byte, and shows it in a sentence', async () => {
    const { messages, trust, verifyingKey } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const { says, page, errors } = await opened(bytes)
    expect(says).toMatch(
      /^\? About the payload .+; consistent with itself, and no more: 3 of 3 messages good by/,
    )
    expect(await textOf(page, '.card')).toContain('Paste the public keys of those whom you trust below')
    expect(await textOf(page, '.headline')).toBe('Cannot tell yet')
    expect(await figures(page)).toEqual([
      'Signatures 3 of 3 messages',
      'Score 100 %',
      'Completeness not proven',
    ])
    expect(await textOf(page, '.lineage-graph')).toContain('2 bundles')
    const own = await opened(bytes, 390, toHex(verifyingKey))
    expect(own.says).toMatch(/^✓ .+ 3 of 3 messages verified by your own policy/)
    // The author's own claims have another colour than the reader's knowledge.
    expect([await looks(page), await looks(own.page)]).toEqual(['says amber', 'says green'])
    expect(await own.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect([...errors, ...own.errors]).toEqual([])
  })

  // claim: packs-39
  it('accepts trust policies and public keys in each format, and reports any other text', async () => {
    const { messages, trust, verifyingKey } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(verifyingKey).toString('base64url') },
      format: 'jwk',
    })
    const { page, says } = await opened(bytes)
    expect(says).toContain('consistent with itself')
    expect(await page.$eval('.card details', (one) => (one as HTMLDetailsElement).open)).toBe(true)
    await page.focus('textarea')
    const pem = key.export({ type: 'spki', format: 'pem' })
    for (const [trusted, expected] of [
      [`${pem}${toHex(verifyingKey)}\n${pem}`, 'verified by your own policy'],
      ['', 'consistent with itself'],
      [JSON.stringify(key.export({ format: 'jwk' })), 'verified by your own policy'],
      ['no key', '? The text about whom you trust is refused. '],
      [`signers: [{ name: x, keys: ["${toHex(verifyingKey)}"] }]`, 'verified by your own policy'],
    ]) {
      await page.$eval('textarea', fill, trusted as string)
      await page.waitForFunction(
        (text) => document.querySelector('.says')?.textContent?.includes(text),
        {},
        expected as string,
      )
    }
    expect(await page.$eval('textarea', (field) => document.activeElement === field)).toBe(true)
    // The same file can be opened again.
    const input = (await page.$('input[type=file]')) as ElementHandle<HTMLInputElement>
    expect(await input.evaluate(({ value }) => value)).toBe('')
  })

  it("names an ancestor whose score is lower, and shows that score instead of the payload's", async () => {
    const holder = signer()
    const made = [
      craftedBundle(holder, { about: 'raw', says: { src: false } }),
      craftedBundle(holder, { action: 'mutate', previous: 'raw', says: { src: true, tls: false } }),
    ]
    const { bytes } = await packed(
      made.map(({ message }) => message),
      { about, trust: holder.trust },
    )
    const { page } = await opened(bytes, 1280, toHex(holder.verifyingKey))
    const section = await textOf(page, 'section:last-of-type')
    expect(section).toContain(
      `Because of what it was made from: ${keyOfText('raw').slice(0, 16)}… scores 0 %.`,
    )
    expect(section).not.toContain('50 %')
  })

  it('shows who signed what, with a row for each signer and a row for each bundle', async () => {
    const { messages, trust, verifyingKey } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const { page } = await opened(bytes, 1280, toHex(verifyingKey))
    const rows = await page.$$eval('tbody tr', (all) => all.map(({ textContent }) => textContent))
    expect(rows.length).toBe(4)
    expect(rows[0]).toMatch(/^\w{12}…\w{6}303 statements\d{4}-.+Z$/)
    expect(rows[1]).toMatch(/^\w{12}…\w{6}srccreateedge-7\d{4}-.+Z$/)
  })

  // claim: packs-9
  it('shows messages that do not verify, and names missing messages', async () => {
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
    expect(says).toContain('4 of 5 messages good by the policy in the pack, 1 refused')
    const problems = await page.$$eval('.problem', (all) => all.map(({ textContent }) => textContent))
    expect(problems).toEqual([
      'The verdict in the pack is not the one that its messages give here.',
      '2 that should be in the pack are missing.',
      expect.stringMatching(
        /^2 messages missing at positions 0 to 1 in run \w+…\w+ of \w+…\w+, signed between 20/,
      ),
      expect.stringMatching(/^messages\/00000\.ndjson, line 1: SIGNATURE_INVALID\./),
    ])
    expect(await looks(page)).toBe('says red')
  })

  it('shows lines of unknown signers in amber, and asks the visitor for the public keys', async () => {
    const { bytes } = await packed((await evidence()).messages, { about, trust: signer().trust })
    const { page } = await opened(bytes, 390, toHex(signer().verifyingKey))
    expect(await looks(page)).toBe('says amber')
    expect(await page.$$('.problem')).toHaveLength(0)
    expect(await textOf(page, '.says + .absent')).toMatch(/^Give the public keys of the unknown signers/)
    expect(await page.$$eval('li.absent', (all) => all.map(({ textContent }) => textContent))).toContainEqual(
      expect.stringMatching(/^messages\/00000\.ndjson, line 1: SIGNER_UNKNOWN\./),
    )
  })

  it('refuses a file that is not a pack, with the reason', async () => {
    const { says, page } = await opened(new Uint8Array(100))
    expect(says).toContain('is refused. pack: expected')
    expect(await looks(page)).toBe('says amber')
  })
})
