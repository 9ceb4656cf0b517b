import { createHash } from 'node:crypto'
import { connect, createServer, type Server } from 'node:net'
import { type AlvariumError, expected } from '../base/errors.js'

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
 * holds in this thread alone. So it does for containers, each of which has a network of its own.
 *
 * @param path - the real one
 * @returns what releases it
 * @throws AlvariumError `STORE_LOCKED`, with the id of the process that has it
 */
export async function lockPath(path: string, what: Lockable): Promise<() => Promise<void>> {
  if (open.has(path)) throw locked(path, what, process.pid)
  open.add(path)
  try {
    const server = await listening(path, what)
    return async () => {
      if (server) await new Promise((resolve) => server.close(resolve))
      open.delete(path)
    }
  } catch (error) {
    open.delete(path)
    throw error
  }
}

function listening(path: string, what: Lockable): Promise<Server | undefined> {
  const name = nameOf(path)
  if (name === undefined) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    // Whoever finds it locked is told by whom.
    const server = createServer((socket) => socket.on('error', () => undefined).end(`${process.pid}`))
    server.once('error', async ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EADDRINUSE') reject(locked(path, what, await holderOf(name)))
      else resolve(undefined)
    })
    // Exclusive: the workers of node:cluster would share it.
    server.listen({ path: name, exclusive: true }, () => resolve(server.unref()))
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
