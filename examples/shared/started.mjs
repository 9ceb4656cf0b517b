import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Whether a module is what was started, also by way of a symbolic link. @param {string} url its `import.meta.url` */
export function isStarted(url) {
  const [, path = ''] = process.argv
  return existsSync(path) && realpathSync(path) === fileURLToPath(url)
}
