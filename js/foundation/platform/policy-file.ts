import { open, stat } from 'node:fs/promises'

/** Reads a file of at most `maxBytes` bytes, and throws for a longer file. */
export async function readFile(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const pieces: Buffer[] = []
    // Read one byte more than allowed, because some files do not state their length, and some have no end.
    for await (const piece of file.createReadStream({ end: maxBytes, autoClose: false })) pieces.push(piece)
    const bytes = Buffer.concat(pieces)
    if (bytes.length > maxBytes) throw new Error(`a file of more than ${maxBytes} bytes`)
    return bytes
  } finally {
    await file.close()
  }
}

/**
 * Polls a file, and calls `changed` after the file, or the target of its link, has changed. Two polls in a row must
 * find the same version first, because a half-written YAML policy can be valid. `changed` is also called for the first
 * version, because the file may have changed since it was read. It is called again after a failure, because a file that
 * could not be read may look the same later. Polling also works for files that are replaced, mounted or linked, as in
 * containers. It does not keep the process alive.
 *
 * @param changed - resolves to whether the new version was applied
 * @returns a function that stops polling
 */
export function watch(path: string, everyMs: number, changed: () => Promise<boolean>): () => void {
  let seen: string | undefined
  let last: string | undefined
  let isStopped = false
  const timer = setInterval(async () => {
    const found = await versionOf(path)
    const isSettled = found === last
    last = found
    if (isStopped || !isSettled || found === seen) return
    seen = found
    if (!(await changed())) seen = undefined
  }, everyMs)
  timer.unref()
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}

async function versionOf(path: string): Promise<string> {
  try {
    // Compare the time of the last status change, because a copy may preserve the time of the last write.
    const { dev, ino, size, ctimeNs } = await stat(path, { bigint: true })
    return `${dev} ${ino} ${size} ${ctimeNs}`
  } catch {
    return 'none'
  }
}
