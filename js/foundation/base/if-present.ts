import { codeOf } from './errors.js'

/** Settles like the promise, or resolves with undefined if the file or folder does not exist. */
export async function ifPresent<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
