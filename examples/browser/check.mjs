// Builds the page and uses it in a browser. CI runs this:
//
//   node examples/browser/check.mjs [screenshot.png]

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { build, preview } from 'vite'
import { startBroker } from '../broker/broker.mjs'
import { CHROMIUM } from '../shared/chromium.mjs'
import { green, red } from '../shared/terminal.mjs'

const configFile = fileURLToPath(new URL('vite.config.js', import.meta.url))

const outDir = await mkdtemp(join(tmpdir(), 'alvarium-'))
const broker = await startBroker()
try {
  await build({ configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
  const server = await preview({ configFile, build: { outDir }, preview: { port: 0 } })
  try {
    await useBrowser(server.resolvedUrls?.local[0] ?? '')
    console.log(green('✓ everything went as expected'))
  } finally {
    await server.close()
  }
} catch (error) {
  console.error(red(`✗ ${error.message}`))
  process.exitCode = 1
} finally {
  await broker.close()
  await rm(outDir, { recursive: true })
}

/** @param {string} address */
async function useBrowser(address) {
  const browser = await chromium.launch(CHROMIUM)
  try {
    await usePage(await browser.newPage(), address)
  } finally {
    await browser.close()
  }
}

/** @param {import('playwright-core').Page} page @param {string} address */
async function usePage(page, address) {
  const errors = watchErrors(page)
  page.setDefaultTimeout(10_000)
  await page.goto(`${address}?broker=${encodeURIComponent(broker.url)}`)
  await page.getByText('connected', { exact: true }).waitFor()
  console.log('✓ connected')

  await createFromText(page)
  await createFromFile(page)
  await tamper(page)
  const screenshot = process.argv[2]
  if (screenshot) await page.screenshot({ path: screenshot, fullPage: true })
  assert.deepEqual(errors, [], 'the console has no errors')
}

/** @param {import('playwright-core').Page} page */
function watchErrors(page) {
  /** @type {string[]} */
  const errors = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(error.message))
  return errors
}

/** @param {import('playwright-core').Page} page */
async function createFromText(page) {
  await page.getByLabel('Payload').fill('{"celsius":19}')
  await page.getByRole('button', { name: 'Create' }).click()
  const first = page.getByRole('listitem').first()
  await first.getByText('✓ verified').waitFor()
  assert.match(await first.innerText(), /src ✓/)
  console.log('✓ a text, signed here, verified after its way over the broker')
}

/** @param {import('playwright-core').Page} page */
async function createFromFile(page) {
  const buffer = Buffer.alloc(1_000_000, 7)
  await page.getByLabel('or a file').setInputFiles({ name: 'sevens', mimeType: 'text/plain', buffer })
  await page.getByRole('button', { name: 'Create' }).click()
  const key = createHash('sha256').update(buffer).digest('hex').toUpperCase()
  await page.getByText(key).waitFor()
  console.log('✓ a file of 1 MB, with the key that SHA-256 gives it')
}

/** @param {import('playwright-core').Page} page */
async function tamper(page) {
  await page.getByRole('button', { name: 'Tamper' }).click()
  await page.getByText('SIGNATURE_INVALID').waitFor()
  assert.equal(await page.getByRole('listitem').count(), 3)
  console.log('✓ an altered message, rejected with SIGNATURE_INVALID')
}
