/** What a visitor gives the tool: pasted, dropped, or chosen. */
import { signal } from '@preact/signals'
import { isAboutTrust } from '../../key-list.ts'
import { attach, keys, load, text, trustBy } from '../../state/tool.ts'
import { shownAs, size } from '../../ui/text.ts'

/** Characters and bytes of the longest message that is taken in: no field of a page is good for more. */
const LONGEST = 256 * 1024
/** Bytes of the longest payload: with each edit it goes to the worker again. */
const LONGEST_PAYLOAD = 16 * 1024 * 1024

/** What went wrong in opening something. */
export const problem = signal('')

/** Takes a text that replaces all that was there for a message of its own; gives whether it was one. */
export function loadPasted({ clipboardData, currentTarget }: ClipboardEvent): boolean {
  const pasted = clipboardData?.getData('text/plain').replaceAll('\r\n', '\n') ?? ''
  const { selectionStart, selectionEnd } = currentTarget as HTMLTextAreaElement
  const isAll = selectionStart === 0 && selectionEnd === text.peek().length
  if (!isAll || pasted === '' || pasted.length > LONGEST) return false
  load({ name: 'pasted message', text: pasted, keys: keys.peek() })
  return true
}

/** Opens a file: a message, or a trust policy or leases to check it by. @throws Error when it is too long to be looked at here */
export async function loadFile(file: File): Promise<void> {
  const shown = shownAs(await bytesOf(file, LONGEST))
  if (isAboutTrust(shown)) trustBy(shown)
  else load({ name: file.name, text: shown, keys: keys.peek() })
}

/** Checks by what a file says. @throws Error as `loadFile` does, and when it says nothing of that */
export async function trustFile(file: File): Promise<void> {
  const shown = shownAs(await bytesOf(file, LONGEST))
  if (!isAboutTrust(shown))
    throw new Error(`${file.name}: expected a trust policy, or leases, got another text`)
  trustBy(shown)
}

/** Takes a file as the payload that the message should be about. @throws Error as `loadFile` does */
export async function attachFile(file: File): Promise<void> {
  attach(await bytesOf(file, LONGEST_PAYLOAD))
}

/** What goes wrong is said in the tool: an unreadable file, a network that is away. */
export async function attempt(open: () => Promise<void>): Promise<void> {
  problem.value = ''
  try {
    await open()
  } catch (error) {
    problem.value = error instanceof Error ? error.message : String(error)
  }
}

async function bytesOf(file: File, most: number): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > most)
    throw new Error(`${file.name}: expected at most ${size(most)}, got ${size(file.size)}`)
  return new Uint8Array(await file.arrayBuffer())
}
