import { open, stat } from 'node:fs/promises'

/** The bytes of a file, of at most so many. */
export async function readFile(path: string, most: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const pieces: Buffer[] = []
    // Some files do not say how long they are, and some have no end: one byte too many is enough.
    for await (const piece of file.createReadStream({ end: most, autoClose: false })) pieces.push(piece)
    const bytes = Buffer.concat(pieces)
    if (bytes.length > most) throw new Error(`a file of more than ${most} bytes`)
    return bytes
  } finally {
    await file.close()
  }
}

/**
 * Calls `changed` when the file, or what its name links to, has changed and was the same at two looks: whoever writes it may not be
 * done, and the first half of a policy in YAML is a policy. Also the first time, as it may have changed since it was read; and again as
 * long as it could not be taken, as a file that could not be read may look the same once it can. It polls, so it also works where files
 * are replaced, mounted or linked, as in containers. It does not keep the process alive.
 *
 * @param changed - resolves to whether it could be taken
 * @returns stops it
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
    // The time of the last change, not of the last write: a copy may keep the latter.
    const { dev, ino, size, ctimeNs } = await stat(path, { bigint: true })
    return `${dev} ${ino} ${size} ${ctimeNs}`
  } catch {
    return 'none'
  }
}
