/** Builds the page. */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const configFile = fileURLToPath(new URL('vite.config.js', import.meta.url))

/** @param {string} outDir emptied first */
export async function buildPage(outDir) {
  await build({ configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
}
