import { createHash } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { type AlvariumError, codeOf, expected } from '../base/errors.js'

/** What is locked, in an error's words. */
export interface Lockable {
  /** The option that names it. */
  readonly field: string
  readonly expected: string
  /** What to do instead. */
  readonly advice: string
}

/** What this thread has locked, by its real path. */
const open = new Set<string>()

/**
 * Keeps a second process away from a file or a folder: it would destroy what the first one writes.
 *
 * Between processes the lock is a name on which this one listens: in Linux an abstract socket, in Windows a named pipe. The system takes
 * it back when the process ends, however it ends, so nothing is left behind. Elsewhere, and where listening is not allowed, the lock
 * holds in this thread alone. So it does for containers, each of which has a network of its own, unless there is a `socket`.
 *
 * @param path - the real one
 * @param socket - the path of a socket file, which a process that was killed leaves behind. It keeps out processes of other containers, and on macOS
 * @returns what releases it
 * @throws AlvariumError `STORE_LOCKED`, with the id of the process that has it
 */
export async function lockPath(path: string, what: Lockable, socket?: string): Promise<() => Promise<void>> {
  if (open.has(path)) throw locked(path, what, process.pid)
  open.add(path)
  const servers: Server[] = []
  const release = async () => {
    for (const server of servers) await new Promise((resolve) => server.close(resolve))
    open.delete(path)
  }
  try {
    const name = nameOf(path)
    if (name) servers.push(...(await listening(name, path, what)))
    if (socket && mayHave(socket)) servers.push(...(await listeningAt(socket, path, what)))
    return release
  } catch (error) {
    await release()
    throw error
  }
}

/** Returns whether a socket file can have this path: it is at most 104 bytes long, in Linux 108. */
function mayHave(socket: string): boolean {
  return process.platform !== 'win32' && Buffer.byteLength(socket) < 104
}

/** Listens, after the removal of a socket file that a killed process has left. */
async function listeningAt(socket: string, path: string, what: Lockable): Promise<Server[]> {
  if ((await isListenedTo(socket)) === false) {
    const left = `${socket}-${crypto.randomUUID()}`
    await rename(socket, left).catch(() => {})
    // Another may have taken its place meanwhile.
    if (await isListenedTo(left)) await rename(left, socket)
    else await rm(left, { force: true })
  }
  return await listening(socket, path, what)
}

/** Returns whether a process listens on a socket file; undefined if there is no such file. */
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

/** Listens on a name. Returns no server where listening is not allowed. */
function listening(name: string, path: string, what: Lockable): Promise<[Server] | []> {
  return new Promise((resolve, reject) => {
    // Whoever finds it locked is told by whom.
    const server = createServer((socket) => socket.on('error', () => undefined).end(`${process.pid}`))
    server.once('error', async ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EADDRINUSE') reject(locked(path, what, await holderOf(name)))
      else resolve([])
    })
    // Exclusive: the workers of node:cluster would share it.
    server.listen({ path: name, exclusive: true }, () => resolve([server.unref()]))
  })
}

const ANSWER_MS = 1_000

/** The process that listens on a name, if it has the time to say so. */
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

function nameOf(path: string): string | undefined {
  const name = `alvarium-sdk-file-${createHash('sha256').update(path).digest('hex')}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : undefined
}

function locked(path: string, what: Lockable, pid: number | undefined): AlvariumError {
  const holder = pid === undefined ? 'another process' : pid === process.pid ? 'this one' : `process ${pid}`
  const got = `one that is in use by ${holder}: ${path}; ${what.advice}`
  return expected('STORE_LOCKED', what.field, what.expected, got)
}
