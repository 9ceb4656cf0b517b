// Packs the folders of package/ as npm does.

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SDK } from './names.mjs'

/**
 * @param {string} folder
 * @param {import('./names.mjs').PACKAGES[number]} [one] default: alvarium-sdk
 * @returns {string} the tarball in it
 */
export function pack(folder, { out } = SDK) {
  mkdirSync(folder, { recursive: true })
  const args = ['pack', out, '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  return join(folder, filename)
}
