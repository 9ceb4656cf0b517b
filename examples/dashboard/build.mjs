/** Builds the dashboard's page with Vite. */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const configFile = fileURLToPath(new URL('vite.config.js', import.meta.url))

/** @param {string} outDir folder, emptied first */
export async function buildPage(outDir) {
  await build({ configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
}
