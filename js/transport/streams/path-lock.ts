import { createHash } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { type AlvariumError, codeOf, expected } from '../../foundation/base/errors.js'

/** Texts for the error about a file or folder that is already locked. */
export interface Lockable {
  readonly field: string
  readonly expected: string
  readonly advice: string
}

/** Real paths that this thread has locked. */
const lockedPaths = new Set<string>()

/**
 * Locks a file or folder against other processes, because two writers would destroy each other's data.
 *
 * The lock is a name on which this process listens: an abstract socket on Linux, a named pipe on Windows. The
 * system removes the name when the process ends, even if it is killed. On other systems, and where listening
 * is not allowed, the lock only works within this thread. Without a `socket`, it does not work between
 * containers either, because each container has its own network.
 *
 * @param path - the real path
 * @param socket - path of a socket file, which a killed process leaves in the file system. It also locks out
 * processes of other containers, and works on macOS
 * @returns a function that releases the lock
 * @throws AlvariumError `STORE_LOCKED`, with the id of the process that holds the lock, if it answers
 */
export async function lockPath(
  path: string,
  lockable: Lockable,
  socket?: string,
): Promise<() => Promise<void>> {
  if (lockedPaths.has(path)) throw lockedError(path, lockable, process.pid)
  lockedPaths.add(path)
  const servers: Server[] = []
  const release = async () => {
    for (const server of servers) await new Promise((resolve) => server.close(resolve))
    lockedPaths.delete(path)
  }
  try {
    const name = lockNameOf(path)
    if (name) servers.push(...(await listen(name, path, lockable)))
    if (socket && isPossiblePath(socket)) servers.push(...(await listenAtSocket(socket, path, lockable)))
    return release
  } catch (error) {
    await release()
    throw error
  }
}

/** Returns whether a socket file can have this path on every Unix: at most 104 bytes with the final NUL. */
function isPossiblePath(socket: string): boolean {
  return process.platform !== 'win32' && Buffer.byteLength(socket) < 104
}

/** Removes a socket file that a killed process has left, then listens. */
async function listenAtSocket(socket: string, path: string, lockable: Lockable): Promise<Server[]> {
  if ((await isListenedTo(socket)) === false) {
    const left = `${socket}-${crypto.randomUUID()}`
    await rename(socket, left).catch(() => {})
    // Test again, because another process may have created the socket meanwhile.
    if (await isListenedTo(left)) await rename(left, socket)
    else await rm(left, { force: true })
  }
  return await listen(socket, path, lockable)
}

/** Returns whether a process listens on a socket file, or undefined if there is no such file. */
function isListenedTo(socket: string): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const connection = connect(socket)
    connection.on('connect', () => resolve(true))
    connection.on('connect', () => connection.destroy())
    connection.on('error', (error) => {
      const code = codeOf(error)
      resolve(code === 'ENOENT' ? undefined : code !== 'ECONNREFUSED')
    })
  })
}

/** Listens on a name. Returns the server, or an empty array if the system does not allow listening. */
function listen(name: string, path: string, lockable: Lockable): Promise<[Server] | []> {
  return new Promise((resolve, reject) => {
    // Answer with our process id, for the error of the other process.
    const server = createServer((socket) => socket.on('error', () => undefined).end(`${process.pid}`))
    server.once('error', async ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EADDRINUSE') reject(lockedError(path, lockable, await holderOf(name)))
      else resolve([])
    })
    // Workers of node:cluster would otherwise share the socket.
    server.listen({ path: name, exclusive: true }, () => resolve([server.unref()]))
  })
}

const ANSWER_MS = 1_000

/** Returns the id of the process that listens on a name, or undefined if it does not answer in time. */
function holderOf(name: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect(name)
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    socket.setTimeout(ANSWER_MS, () => socket.destroy())
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(/^\d{1,10}$/.test(answer) ? Number(answer) : undefined))
  })
}

function lockNameOf(path: string): string | undefined {
  const name = `alvarium-sdk-file-${createHash('sha256').update(path).digest('hex')}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : undefined
}

function lockedError(path: string, lockable: Lockable, pid: number | undefined): AlvariumError {
  const holder =
    pid === undefined ? 'another process' : pid === process.pid ? 'this process' : `process ${pid}`
  const got = `one that is in use by ${holder}: ${path}; ${lockable.advice}`
  return expected('STORE_LOCKED', lockable.field, lockable.expected, got)
}
