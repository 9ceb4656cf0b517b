/** Storage that outlasts the page, in IndexedDB; empty if storage is forbidden, as in private windows. */
import { get, set } from 'idb-keyval'

export async function recall<T>(name: string): Promise<T | undefined> {
  try {
    return await get<T>(name)
  } catch {
    // A browser that denies storage may also throw immediately.
    return undefined
  }
}

/** Stores a value. Returns whether that succeeded. */
export async function keep(name: string, value: unknown): Promise<boolean> {
  try {
    await set(name, value)
    return true
  } catch {
    return false
  }
}
