/** Builds the page, and says what it weighs. */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const configFile = fileURLToPath(new URL('../vite.config.js', import.meta.url))

/**
 * @param {string} outDir emptied first
 * @param {'broker' | 'serverless'} mode
 */
export async function buildPage(outDir, mode) {
  await build({ configFile, mode, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
}

/**
 * Every file compressed, heaviest first, without source maps and the data set. Charts and the race's peers, which are
 * only loaded when they are looked at, are among them.
 *
 * @param {string} dir
 * @returns {Promise<{ file: string, bytes: number }[]>}
 */
export async function weigh(dir) {
  const files = await readdir(dir, { recursive: true, withFileTypes: true })
  const counted = files.filter((file) => file.isFile() && !['.map', '.csv'].includes(extname(file.name)))
  const weights = counted.map(async ({ parentPath, name }) => {
    const content = await readFile(join(parentPath, name))
    return { file: name, bytes: gzipSync(content, { level: 9 }).length }
  })
  return (await Promise.all(weights)).sort((a, b) => b.bytes - a.bytes)
}
