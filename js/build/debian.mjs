// Installs Debian packages with apt, if this process runs as root.

import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const LOCK = '/var/lock/alvarium-apt'

/** Returns the full path of a command on PATH, or undefined. */
export function find(command) {
  for (const folder of process.env.PATH.split(delimiter)) {
    const path = join(folder, command)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // The command is not in this folder: try the next one.
    }
  }
  return undefined
}

export function canInstall() {
  return process.getuid?.() === 0 && find('apt-get') !== undefined
}

/** Installs Debian packages. Throws an error that names them if this process cannot install packages. */
export function install(packages, why) {
  if (!canInstall()) throw new Error(`${why}: please install ${packages.join(', ')} (Debian's names)`)
  console.error(`${why}: installing ${packages.join(', ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // Test files run at the same time, and a second apt-get would fail instead of waiting for the first.
  const apt = (...args) =>
    execFileSync('flock', [LOCK, 'apt-get', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  apt('-q', 'update')
  apt('-q', 'install', '-y', '--no-install-recommends', ...packages)
}

/** Installs the packages unless one of the commands is on PATH. */
export function ensure(commands, packages, why) {
  if (!commands.some(find)) install(packages, why)
}
