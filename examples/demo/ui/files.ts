/** Reads files that a visitor provides. */
import type { Signal } from '@preact/signals'
import { size } from './text.ts'

/** Maximum size of a payload in bytes. */
export const LONGEST_PAYLOAD = 16 * 1024 * 1024

/** Reads a file. @throws Error if the file is too long for this page, or cannot be read, such as a folder */
export async function bytesOf(file: File, most: number): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > most)
    throw new Error(`${file.name}: expected at most ${size(most)}, got ${size(file.size)}`)
  return new Uint8Array(await file.arrayBuffer())
}

/** Returns a function that opens inputs. Only the newest input has an effect. Sets `problem` on an error. */
export function opener(problem: Signal<string>) {
  let opened = 0
  /** @param open - reads the input and returns the action to perform */
  return async (open: () => Promise<() => void>): Promise<void> => {
    const own = ++opened
    problem.value = ''
    const then = await open().catch((error) => () => {
      problem.value = error instanceof Error ? error.message : String(error)
    })
    if (own === opened) then()
  }
}
