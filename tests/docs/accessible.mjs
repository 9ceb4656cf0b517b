// Checks pages of a built site in Chromium, at widths of a small phone, a phone and a laptop, light and dark. axe must find
// no fault, no element may be wider than the page, and a laptop must show each line of the guide's code in full.
//
//   node tests/docs/accessible.mjs FOLDER      after `npm run docs -- FOLDER`

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { launch } from '../browsers/launch.mjs'

const PAGES = [
  'index.html',
  'documents/Quick_start.html',
  'documents/Delivery.html',
  'modules/alvarium-sdk.html',
  'functions/alvarium-sdk.openSdk.html',
]
const WIDTHS = [320, 390, 1280]
/** Width at which 76 characters must fit. */
const LAPTOP = 1280

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const folder = resolve(process.argv[2] ?? 'examples/guide/dist')

const browser = await launch('chromium')
const faults = []
try {
  for (const path of PAGES)
    for (const width of WIDTHS)
      for (const scheme of ['light', 'dark']) {
        const found = await faultsOf(path, width, scheme)
        faults.push(...found.map((fault) => `${path}, ${width} px, ${scheme}: ${fault}`))
      }
} finally {
  await browser.close()
}
for (const fault of faults) console.error(fault)
console.log(`${PAGES.length} pages at ${WIDTHS.join(', ')} px, light and dark: ${faults.length} faults`)
process.exitCode = faults.length > 0 ? 1 : 0

/** @param {string} path @param {number} width @param {string} scheme */
async function faultsOf(path, width, scheme) {
  const page = await browser.newPage()
  try {
    await page.setViewport({ width, height: 800 })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await page.goto(pathToFileURL(join(folder, path)).href)
    await page.evaluate(axe)
    const { violations } = await page.evaluate(() => globalThis.axe.run())
    const found = violations.map(({ id, nodes }) => `axe: ${id}: ${nodes[0].html.slice(0, 160)}`)
    const { isWider, cut } = await page.evaluate(overflows)
    if (isWider) found.push('something is wider than the page')
    if (width === LAPTOP) found.push(...cut.map((code) => `a line of code is cut off: ${code}`))
    return found
  } finally {
    await page.close()
  }
}

/** Returns whether the page is too wide, and its cut lines of code; runs in the page. */
function overflows() {
  const code = [...document.querySelectorAll('.tsd-typography pre code')]
  return {
    isWider: document.documentElement.scrollWidth > innerWidth,
    cut: code
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent?.slice(0, 60)),
  }
}
