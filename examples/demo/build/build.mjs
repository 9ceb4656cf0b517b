/** Builds the page, and says what it weighs. */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { withBroker } from './broker.mjs'

const configFile = fileURLToPath(new URL('../vite.config.js', import.meta.url))

/**
 * @typedef {object} BuildOptions
 * @property {string} [broker] written into the page as its default
 * @property {string} [url] where the page will be: previews of links to it need its picture's whole address
 */

/**
 * @param {string} outDir emptied first
 * @param {'broker' | 'serverless'} mode
 * @param {BuildOptions} [options]
 */
export async function buildPage(outDir, mode, options = {}) {
  await build({
    configFile,
    mode,
    logLevel: 'warn',
    plugins: [head(options)],
    build: { outDir, emptyOutDir: true },
  })
}

/** Where the page is, and where its broker is, in its head. @param {BuildOptions} options */
function head({ broker, url }) {
  return {
    name: 'alvarium-head',
    transformIndexHtml: (html) => {
      const located = url
        ? html.replace('content="share.png"', `content="${new URL('share.png', asFolder(url))}"`)
        : html
      return broker ? withBroker(located, broker) : located
    },
  }
}

/** @param {string} url */
function asFolder(url) {
  return url.endsWith('/') ? url : `${url}/`
}

/** What the page never loads: maps, the sensor's data, which only it fetches, and the picture of links to the page. */
const BESIDE = ['.map', '.csv', '.png']

/** Bytes of some files. @param {readonly { bytes: number }[]} weighed */
export const sumOf = (weighed) => weighed.reduce((sum, { bytes }) => sum + bytes, 0)

/** What a page loads for a key of ECDSA or SM2 alone, as few visitors have one. @param {{ file: string }} weighed */
export const isOfAlgorithms = ({ file }) => /^algorithms.*\.wasm$/.test(file)

/** The same for a trust policy, which may be YAML. @param {{ file: string }} weighed */
export const isOfTrust = ({ file }) => /^(trust|yaml)-.*\.js$/.test(file)

/** Returns whether a page loads it for an evidence pack or a sealed set alone. @param {{ file: string }} weighed */
export const isOfPacks = ({ file }) => /^(packs|sets)-.*\.js$/.test(file)

/**
 * Every file compressed, heaviest first. Charts, samples and the race's peers, which are only loaded when they are looked
 * at, are among them.
 *
 * @param {string} dir
 * @returns {Promise<{ file: string, bytes: number }[]>}
 */
export async function weigh(dir) {
  const files = await readdir(dir, { recursive: true, withFileTypes: true })
  const counted = files.filter((file) => file.isFile() && !BESIDE.includes(extname(file.name)))
  const weights = counted.map(async ({ parentPath, name }) => {
    const content = await readFile(join(parentPath, name))
    return { file: name, bytes: gzipSync(content, { level: 9 }).length }
  })
  return (await Promise.all(weights)).sort((a, b) => b.bytes - a.bytes)
}
