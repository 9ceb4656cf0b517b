/** What a visitor gives the tool: pasted, dropped, or chosen. */
import { isAboutTrust } from '../../key-list.ts'
import { attach, isTooLong, keys, load, MAX_TEXT, problem, text, trustBy } from '../../state/tool.ts'
import { bytesOf, LONGEST_PAYLOAD, opener } from '../../ui/files.ts'
import { shownAs } from '../../ui/text.ts'

/** What goes wrong is said in the tool: an unreadable file, a network that is away. */
export const attempt = opener(problem)

/** Takes a text that replaces all that was there for a message of its own, and none that is too long; gives whether the field is not to take it. */
export function loadPasted({ clipboardData, currentTarget }: ClipboardEvent): boolean {
  const pasted = clipboardData?.getData('text/plain').replaceAll('\r\n', '\n') ?? ''
  const { selectionStart, selectionEnd } = currentTarget as HTMLTextAreaElement
  const others = text.peek().length - (selectionEnd - selectionStart)
  if (isTooLong('What you paste', others + pasted.length)) return true
  if (others > 0 || pasted === '') return false
  problem.value = ''
  load({ name: 'pasted message', text: pasted, keys: keys.peek() })
  return true
}

/** Opens a file: a message, or a trust policy or leases to check it by. @throws Error when it is too long to be looked at here */
export async function loadFile(file: File): Promise<() => void> {
  const shown = shownAs(await bytesOf(file, MAX_TEXT))
  if (isAboutTrust(shown)) return () => trustBy(shown)
  return () => load({ name: file.name, text: shown, keys: keys.peek() })
}

/** Checks by what a file says. @throws Error as `loadFile` does, and when it says nothing of that */
export async function trustFile(file: File): Promise<() => void> {
  const shown = shownAs(await bytesOf(file, MAX_TEXT))
  if (!isAboutTrust(shown))
    throw new Error(`${file.name}: expected a trust policy, or leases, got another text`)
  return () => trustBy(shown)
}

/** Takes a file as the payload that the message should be about. @throws Error as `loadFile` does */
export async function attachFile(file: File): Promise<() => void> {
  const bytes = await bytesOf(file, LONGEST_PAYLOAD)
  return () => attach(bytes)
}
