/** What outlasts the page, in IndexedDB; nothing where nothing may be stored, as in private windows. */
import { get, set } from 'idb-keyval'

export async function recall<T>(name: string): Promise<T | undefined> {
  try {
    return await get<T>(name)
  } catch {
    // Where a browser denies it, it may also throw at once.
    return undefined
  }
}

/** Whether it is kept. */
export async function keep(name: string, value: unknown): Promise<boolean> {
  try {
    await set(name, value)
    return true
  } catch {
    return false
  }
}
