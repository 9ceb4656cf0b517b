// Packs the folders of package/ with npm.

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SDK } from './names.mjs'

/**
 * Packs a package into a tarball.
 *
 * @param {string} folder for the tarball
 * @param {import('./names.mjs').PACKAGES[number]} [one] default: alvarium-sdk
 * @returns {string} the path of the tarball
 */
export function pack(folder, { out } = SDK) {
  mkdirSync(folder, { recursive: true })
  const args = ['pack', out, '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  return join(folder, filename)
}
