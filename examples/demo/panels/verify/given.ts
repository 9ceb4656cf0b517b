/** Handles texts and files that a visitor pastes, drops or chooses, before any verification. */
import { fileKind, type GivenKind, kindOf, MAX_HEAD } from '../../given-kind.ts'
import { isAboutTrust } from '../../key-list.ts'
import { attach, load, trustBy } from '../../state/editing.ts'
import { type Offer, offer } from '../../state/offer.ts'
import { isTooLong, keys, MAX_TEXT, problem, text } from '../../state/tool.ts'
import { bytesOf, LONGEST_PAYLOAD, opener } from '../../ui/files.ts'
import { shownAs, utf8 } from '../../ui/text.ts'

/** Opens an input. Shows errors in the tool, for example about an unreadable file. */
export const attempt = opener(problem)

/** Loads a pasted text that replaces the whole field. Returns whether the browser must not insert it. */
export function loadPasted({ clipboardData, currentTarget }: ClipboardEvent): boolean {
  const pasted = clipboardData?.getData('text/plain').replaceAll('\r\n', '\n') ?? ''
  const { selectionStart, selectionEnd } = currentTarget as HTMLTextAreaElement
  const others = text.peek().length - (selectionEnd - selectionStart)
  if (isTooLong('What you paste', others + pasted.length)) return true
  if (others > 0 || pasted === '') return false
  problem.value = ''
  take(pasted, 'What you pasted', 'pasted message')
  return true
}

/** Loads a file of any kind. @throws Error when the file is too long for this page */
export async function loadFile(file: File): Promise<() => void> {
  const head = new Uint8Array(await file.slice(0, MAX_HEAD).arrayBuffer())
  const kind = fileKind(head)
  if (kind) return () => takeFile(file, kind)
  const bytes = await bytesOf(file, MAX_TEXT)
  const shown = isTextOfHex(bytes) ? (utf8(bytes) ?? '') : shownAs(bytes)
  return () => take(shown, file.name, file.name)
}

/** Returns whether a file contains only hexadecimal digits: a key, or a CBOR message copied as text. */
function isTextOfHex(bytes: Uint8Array): boolean {
  return /^[\s\da-f]+$/i.test(utf8(bytes) ?? '')
}

function takeFile(file: File, kind: GivenKind): void {
  if (kind.is === 'other') suggest({ is: 'other', name: file.name, text: kind.noun })
  else show({ name: file.name, text: '', pack: file })
}

/** @param source - name for a sentence about the input @param name - heading above the message */
function take(shown: string, source: string, name: string): void {
  const kind = kindOf(shown)
  if (kind.is === 'other') suggest({ is: 'other', name: source, text: kind.noun })
  else if (kind.is === 'key' || kind.is === 'policy' || kind.is === 'lease') {
    offer.value = { is: kind.is, name: source, text: shown }
  } else showFirst(shown, source, name)
}

/** Shows the first message of a file with one message per line, or any other text as a whole. */
function showFirst(shown: string, source: string, name: string): void {
  const lines = shown.trim().split('\n')
  const [first = ''] = lines
  const areMessages = lines.length > 1 && lines.slice(0, 2).every((line) => /^\{.*\}$/.test(line.trim()))
  show({ name, text: areMessages ? first : shown })
  if (areMessages) offer.value = { is: 'lines', name: source, text: String(lines.length) }
}

function show(next: { readonly name: string; readonly text: string; readonly pack?: Blob }): void {
  load({ ...next, keys: keys.peek() })
}

/** Offers an action for an input. Leaves the message and its verdict unchanged. */
function suggest(next: Offer): void {
  problem.value = ''
  offer.value = next
}

/** Uses the trust policy or leases in a file. @throws Error when it is unreadable or has neither */
export async function trustFile(file: File): Promise<() => void> {
  const shown = shownAs(await bytesOf(file, MAX_TEXT))
  if (!isAboutTrust(shown))
    throw new Error(`${file.name}: expected a trust policy, or leases, got another text`)
  return () => trustBy(shown)
}

/** Uses a file as the payload of the message. @throws Error when it is unreadable or too long */
export async function attachFile(file: File): Promise<() => void> {
  const bytes = await bytesOf(file, LONGEST_PAYLOAD)
  return () => attach(bytes)
}
