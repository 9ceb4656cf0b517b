import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

/**
 * Replaces an `x.ts` that needs Node with its neighbour `x.browser.ts` in browsers, so that the same tests run in both.
 */
export const browserModules = (): Plugin => ({
  name: 'browser-modules',
  enforce: 'pre',
  resolveId(id, importer) {
    if (!importer || !id.startsWith('.') || !id.endsWith('.js')) return null
    const path = join(dirname(importer), id.replace(/\.js$/, '.browser.ts'))
    return existsSync(path) ? path : null
  },
})
