/** What a visitor gives the tool: pasted, dropped, or chosen. */
import { keys, load, text } from '../../state/tool.ts'
import { shownAs } from '../../ui/text.ts'

/** Characters and bytes of the longest message that is taken in: no field of a page is good for more. */
const LONGEST = 256 * 1024

/** Takes a text that replaces all that was there for a message of its own; gives whether it was one. */
export function loadPasted({ clipboardData, currentTarget }: ClipboardEvent): boolean {
  const pasted = clipboardData?.getData('text/plain').replaceAll('\r\n', '\n') ?? ''
  const { selectionStart, selectionEnd } = currentTarget as HTMLTextAreaElement
  const isAll = selectionStart === 0 && selectionEnd === text.peek().length
  if (!isAll || pasted === '' || pasted.length > LONGEST) return false
  load({ name: 'pasted message', text: pasted, keys: keys.peek() })
  return true
}

/** Opens a file as a message. @throws Error when it is too long to be looked at here */
export async function loadFile(file: File): Promise<void> {
  if (file.size > LONGEST)
    throw new Error(`${file.name}: expected at most ${LONGEST} bytes, got ${file.size}`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  load({ name: file.name, text: shownAs(bytes), keys: keys.peek() })
}
