/** Builds the page and measures its size. */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { withBroker } from './broker.mjs'

const configFile = fileURLToPath(new URL('../vite.config.js', import.meta.url))

/**
 * @typedef {object} BuildOptions
 * @property {string} [broker] URL of the page's default broker
 * @property {string} [url] future address of the page, because link previews need the absolute address of the
 * picture
 */

/**
 * @param {string} outDir folder, emptied first
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

/** Writes the URLs of the page and its broker into the page's head. @param {BuildOptions} options */
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

/**
 * Extensions of files that the page does not load: source maps, sensor data (only the simulated sensor
 * fetches it), and the picture for link previews.
 */
const BESIDE = ['.map', '.csv', '.png']

/** Returns the total size of files in bytes. @param {readonly { bytes: number }[]} weighed */
export const sumOf = (weighed) => weighed.reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * Returns whether a page loads a file only for ECDSA or SM2 keys, which few visitors use.
 *
 * @param {{ file: string }} weighed
 */
export const isOfAlgorithms = ({ file }) => /^algorithms.*\.wasm$/.test(file)

/**
 * Returns whether the page loads a file only for trust policies, which may be YAML.
 * @param {{ file: string }} weighed
 */
export const isOfTrust = ({ file }) => /^(trust|yaml)-.*\.js$/.test(file)

/**
 * Returns whether the page loads a file only for evidence packs and sealed sets.
 * @param {{ file: string }} weighed
 */
export const isOfPacks = ({ file }) => /^(packs|sets)-.*\.js$/.test(file)

/**
 * Returns each file with its size after gzip, largest first. Includes files that a page loads only on demand,
 * such as charts and samples.
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
