/** Storage in IndexedDB that survives the page. Nothing is stored in private windows. */
import { get, set } from 'idb-keyval'

export async function recall<T>(name: string): Promise<T | undefined> {
  try {
    return await get<T>(name)
  } catch {
    // Treat an exception as an empty storage: a browser that forbids storage may throw.
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
