import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { type AlvariumError, expected } from '../../base/errors.js'

/** The files that streams of this thread have open, by their real paths. */
const open = new Set<string>()

/**
 * Keeps a second stream away from a file: it would take back, and rename, what the first has written.
 *
 * Between processes the lock is a name on which this one listens: in Linux an abstract socket, in Windows a named pipe. The system takes
 * it back when the process ends, however it ends, so nothing is left behind. Elsewhere, and where listening is not allowed, the lock
 * holds in this thread alone.
 *
 * @returns what releases it
 * @throws AlvariumError `STORE_LOCKED` when a stream has it
 */
export async function lockPath(path: string): Promise<() => Promise<void>> {
  if (open.has(path)) throw locked(path)
  open.add(path)
  try {
    const server = await listening(path)
    return async () => {
      if (server) await new Promise((resolve) => server.close(resolve))
      open.delete(path)
    }
  } catch (error) {
    open.delete(path)
    throw error
  }
}

function listening(path: string): Promise<Server | undefined> {
  const name = nameOf(path)
  if (name === undefined) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'EADDRINUSE') reject(locked(path))
      else resolve(undefined)
    })
    // Exclusive: the workers of node:cluster would share it.
    server.listen({ path: name, exclusive: true }, () => resolve(server.unref()))
  })
}

function nameOf(path: string): string | undefined {
  const name = `alvarium-sdk-file-${createHash('sha256').update(path).digest('hex')}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : undefined
}

function locked(path: string): AlvariumError {
  const got = `one that is in use: ${path}; give each SDK its own file`
  return expected('STORE_LOCKED', 'file', 'a file that no other stream has open', got)
}
