import { unwatchFile, watchFile } from 'node:fs'
import { open } from 'node:fs/promises'

/** The bytes of a file, of at most so many. */
export async function readFile(path: string, most: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    if (size > most) throw new Error(`a file of more than ${most} bytes`)
    const bytes = await file.readFile()
    if (bytes.length > most) throw new Error(`a file of more than ${most} bytes`)
    return bytes
  } finally {
    await file.close()
  }
}

/**
 * Calls `changed` when the file, or what its name leads to, is another one. By asking again and again: so it works where files
 * are replaced, mounted, or linked, as in a container. It does not keep the process.
 *
 * @returns stops it
 */
export function watch(path: string, everyMs: number, changed: () => void): () => void {
  watchFile(path, { interval: everyMs, persistent: false }, changed)
  return () => unwatchFile(path, changed)
}
