/** Builds the page, and measures its size. */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { withBroker } from './broker.mjs'

const configFile = fileURLToPath(new URL('../vite.config.js', import.meta.url))

/**
 * @typedef {object} BuildOptions
 * @property {string} [broker] the page's default broker
 * @property {string} [url] the page's future address: link previews need the picture's whole address
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

/** Adds the addresses of the page and its broker to the page's head. @param {BuildOptions} options */
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
 * Extensions of files that the page never loads: source maps, the sensor's data, which only the sensor fetches, and the
 * picture for link previews.
 */
const BESIDE = ['.map', '.csv', '.png']

/** Returns the total size of files in bytes. @param {readonly { bytes: number }[]} weighed */
export const sumOf = (weighed) => weighed.reduce((sum, { bytes }) => sum + bytes, 0)

/** Returns whether a page loads a file only for keys of ECDSA or SM2, which few visitors have. @param {{ file: string }} weighed */
export const isOfAlgorithms = ({ file }) => /^algorithms.*\.wasm$/.test(file)

/** Returns whether a page loads a file only for a trust policy, which may be YAML. @param {{ file: string }} weighed */
export const isOfTrust = ({ file }) => /^(trust|yaml)-.*\.js$/.test(file)

/** Returns whether a page loads a file only for an evidence pack or a sealed set. @param {{ file: string }} weighed */
export const isOfPacks = ({ file }) => /^(packs|sets)-.*\.js$/.test(file)

/**
 * Returns every file with its compressed size, heaviest first. Includes charts, samples and the race's libraries, which
 * a page loads only on demand.
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
