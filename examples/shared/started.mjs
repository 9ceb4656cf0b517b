import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Returns whether a module is the started program, even through a symbolic link.
 *
 * @param {string} url `import.meta.url` of the module
 */
export function isStarted(url) {
  const [, path = ''] = process.argv
  return existsSync(path) && realpathSync(path) === fileURLToPath(url)
}
