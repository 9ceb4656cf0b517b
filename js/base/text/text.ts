/** Whether a string is Unicode, without halves of pairs. `String.prototype.isWellFormed` is newer than browsers that have all else. */
export function isWellFormed(text: string & { isWellFormed?(): boolean }): boolean {
  return text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text)
}

/** Bytes of UTF-8. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}

/** The URL, if it is one. `URL.canParse` is newer too. */
export function urlIn(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** What came, for an error: its beginning, and without what would break a line of a log. */
export function quoted(text: string, most = 100): string {
  return JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text)
}

/** One line for logs, without what a terminal acts on or nobody sees: what errors quote was often written by whoever is refused. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '\ufffd')
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const UTF8 = [0xef, 0xbb, 0xbf]

/** Without the mark that some editors and shells put before UTF-8 (U+FEFF), which says nothing. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  return UTF8.every((byte, at) => bytes[at] === byte) ? bytes.subarray(UTF8.length) : bytes
}

/** Whether they begin with the mark of UTF-16, in either order: what PowerShell writes, for one. */
export function isUtf16([first = 0, second = 0]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

/** What bytes say to the letter: a mark at their beginning is a part of it. @throws TypeError for what is not UTF-8 */
export function exactText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

/** The text of a file that somebody has written. @throws Error for another encoding, with what to do */
export function utf8In(bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw new Error('UTF-16: save it as UTF-8')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Error('other bytes', { cause })
  }
}

/** Bytes without one line end (LF or CR LF) behind them, if there is one: that of the file that they stood in. */
export function withoutLineEnd(bytes: Uint8Array): Uint8Array {
  if (bytes.at(-1) !== NEWLINE) return bytes
  return bytes.subarray(0, bytes.at(-2) === RETURN ? -2 : -1)
}

const NEWLINE = 0x0a
const RETURN = 0x0d

/** Where what is not white space begins. */
export function beginOf(bytes: Uint8Array): number {
  let begin = 0
  while (isWhite(bytes[begin])) begin++
  return begin
}

/** RFC 8259 §2. */
export function isWhite(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

/** What takes more than this to say is 32 bytes in base64, or 40 characters in any text that looks like a path: maybe a key. */
export const LONGEST_PATH = 39

/** Nothing in which keys are written has a dot. */
const FILE_NAME = /[/\\]([\w-]+(?:\.[\w-]+)+)$/

/** What can be said of a long path, as it may be a key: its end, if that is the name of a file. */
export function endOf(path: string): string | undefined {
  const [, name = ''] = FILE_NAME.exec(path) ?? []
  return name !== '' && name.length <= LONGEST_PATH ? `…/${name}` : undefined
}
