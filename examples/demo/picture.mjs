// Films the page: a reading is altered on its way, and a check notices. README begins with this picture.
//
//   node examples/demo/picture.mjs [tamper.gif]

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'modern-gif'
import { chromium } from 'playwright-core'
import { CHROMIUM } from '../shared/chromium.mjs'
import { buildPage } from './build/build.mjs'
import { servePage } from './build/server.mjs'

const SIZE = { width: 1000, height: 500 }
/** A reading is shorter on its way. */
const WAY_MS = 4000
const [file = new URL('tamper.gif', import.meta.url)] = process.argv.slice(2)

/** @typedef {{ data: Uint8ClampedArray, delay: number }} Frame pixels in RGBA, shown for so many ms */

const dir = await mkdtemp(join(tmpdir(), 'alvarium-picture-'))
try {
  await buildPage(dir, 'serverless')
  const server = await servePage({ dir })
  const browser = await chromium.launch(CHROMIUM)
  try {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' })
    await page.goto(server.url)
    const gif = await encode({ ...SIZE, maxColors: 64, frames: await film(page) })
    await writeFile(file, new Uint8Array(gif))
    console.log(`Written to ${file}: ${gif.byteLength} bytes.`)
  } finally {
    await browser.close()
    await server.close()
  }
} finally {
  await rm(dir, { recursive: true })
}

/** A reading arrives; it is altered, and arrives again. @param {import('playwright-core').Page} page */
async function film(page) {
  await page.getByText('three readings were signed').waitFor()
  const genuine = [...(await arrival(page)), await still(page, 1500)]
  await page.getByRole('button', { name: 'Tamper' }).click()
  return [...genuine, ...(await arrival(page)), await still(page, 5000)]
}

/** All of a way, as fast as pictures can be taken. @param {import('playwright-core').Page} page */
async function arrival(page) {
  const frames = []
  for (let now = performance.now(), end = now + WAY_MS; now < end; now += frames.at(-1).delay) {
    const frame = await still(page, 0)
    frames.push({ ...frame, delay: performance.now() - now })
  }
  return frames
}

/** @param {import('playwright-core').Page} page @param {number} delay @returns {Promise<Frame>} */
async function still(page, delay) {
  const png = await page.screenshot()
  const pixels = await page.evaluate(pixelsOf, png.toString('base64'))
  return { data: new Uint8ClampedArray(Buffer.from(pixels, 'base64')), delay }
}

/** Runs in the page, which can decode a picture. @param {string} png in base64 @returns {Promise<string>} RGBA in base64 */
async function pixelsOf(png) {
  const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0))
  const bitmap = await createImageBitmap(new Blob([bytes]))
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
  context.drawImage(bitmap, 0, 0)
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
  let text = ''
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192))
  return btoa(text)
}
