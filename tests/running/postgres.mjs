// PostgreSQL for the tests: what Debian has, and the newest that npm has.

import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { canInstall, find, install } from '../../js/build/debian.mjs'

/** Where the newest is installed, in the project's folder: npm leaves hidden folders alone, and copies for mutants link to it. */
export const NEWEST = 'node_modules/.newest-postgres'
/** Where Debian keeps the servers, which are not on PATH: there can be several versions. */
const VERSIONS = '/usr/lib/postgresql'
const SETTINGS = '/etc/postgresql-common/createcluster.d'

/** The folder with the programs of the oldest server that is installed, or undefined. */
export function installedPostgres() {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((one, other) => one - other) : []
  const folders = versions.map((version) => join(VERSIONS, version, 'bin'))
  // Clients have such a folder too.
  const oldest = folders.find((folder) => existsSync(join(folder, 'postgres')))
  const onPath = oldest === undefined ? find('postgres') : undefined
  return onPath === undefined ? oldest : dirname(realpathSync(onPath))
}

export function ensurePostgres() {
  if (installedPostgres() !== undefined) return
  if (canInstall()) withoutService()
  install(['postgresql'], 'The tests store in a real PostgreSQL')
}

/** Debian would make a database and start a server for it, here and with each start of the machine. The tests start their own. */
function withoutService() {
  mkdirSync(SETTINGS, { recursive: true })
  writeFileSync(join(SETTINGS, 'alvarium-tests.conf'), 'create_main_cluster = false\n')
}
