// PostgreSQL for the tests: Debian's version, and the newest of npm.

import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { canInstall, find, install } from '../../js/build/debian.mjs'

/** Folder of the newest PostgreSQL, in the project: npm ignores hidden folders, and copies for mutants link to it. */
export const NEWEST = 'node_modules/.newest-postgres'
/** Debian's folder of servers, which are not on PATH: there can be several versions. */
const VERSIONS = '/usr/lib/postgresql'
const SETTINGS = '/etc/postgresql-common/createcluster.d'

/** Returns the folder with the programs of the oldest installed server, or undefined. */
export function installedPostgres() {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((one, other) => one - other) : []
  const folders = versions.map((version) => join(VERSIONS, version, 'bin'))
  // Packages of clients create such a folder, too.
  const oldest = folders.find((folder) => existsSync(join(folder, 'postgres')))
  const onPath = oldest === undefined ? find('postgres') : undefined
  return onPath === undefined ? oldest : dirname(realpathSync(onPath))
}

export function ensurePostgres() {
  if (installedPostgres() !== undefined) return
  if (canInstall()) withoutService()
  install(['postgresql'], 'The tests store in a real PostgreSQL')
}

/**
 * Stops Debian from creating a database and starting its server, now and with each start of the machine. The tests
 * start their own.
 */
function withoutService() {
  mkdirSync(SETTINGS, { recursive: true })
  writeFileSync(join(SETTINGS, 'alvarium-tests.conf'), 'create_main_cluster = false\n')
}
