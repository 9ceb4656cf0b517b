// Packs package/ as npm does.

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { out } from './names.mjs'

/**
 * @param {string} folder
 * @returns {string} the tarball in it
 */
export function pack(folder) {
  mkdirSync(folder, { recursive: true })
  const args = ['pack', out, '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  return join(folder, filename)
}
