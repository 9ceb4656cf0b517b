import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Returns whether a module is the started program, including through a symbolic link. @param {string} url its `import.meta.url` */
export function isStarted(url) {
  const [, path = ''] = process.argv
  return existsSync(path) && realpathSync(path) === fileURLToPath(url)
}
