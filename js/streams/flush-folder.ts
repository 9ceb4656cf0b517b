import { open } from 'node:fs/promises'

/** A file that is new is only there when its folder says so. Windows has no such thing. */
export async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
