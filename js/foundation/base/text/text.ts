/** Returns whether a string has no lone surrogates. The oldest supported browsers lack `String.isWellFormed()`. */
export function isWellFormed(text: string & { isWellFormed?(): boolean }): boolean {
  return text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text)
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Compares two texts for `sort` by UTF-16 code units, independent of the locale. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

export function withNoun(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** Parses a URL. Returns undefined for an invalid URL. The oldest supported browsers lack `URL.canParse`. */
export function urlIn(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Maximum length of a text that errors quote, in characters. A key has at least 43: 32 bytes in base64. */
const MAX_QUOTED = 39

/** Pattern of 16 or more base64 characters except `/`. Usual words are shorter, so a match may be a key. */
const LONG_RUN = /[A-Za-z0-9+=]{16,}/g

/** Pattern of an `@` that may end a password. It does not match HTTP component names: `"@method"`. */
const AFTER_PASSWORD = /[^\s"(]@/

/**
 * Returns whether errors and logs may quote a text, because it cannot be a secret. A long text can be a secret. An `@`
 * after other characters may end a password, and a long sequence of mixed letters and digits can be a key.
 */
export function isQuotable(text: string): boolean {
  if (text.length > MAX_QUOTED || AFTER_PASSWORD.test(text)) return false
  return (text.match(LONG_RUN) ?? []).every((run) => !/\d/.test(run) || !/[A-Za-z]/.test(run))
}

/** Quotes a received text for an error, with line ends escaped. Describes a text that may be a secret. */
export function quote(text: string): string {
  return isQuotable(text) ? JSON.stringify(text) : `a text of ${text.length} characters`
}

/** Replaces control and invisible characters by U+FFFD, because attackers can write the texts that errors quote. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '\ufffd')
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const UTF8 = [0xef, 0xbb, 0xbf]

/** Removes the byte order mark (U+FEFF) that some editors and shells put before UTF-8. */
export function stripBom(bytes: Uint8Array): Uint8Array {
  return UTF8.every((byte, at) => bytes[at] === byte) ? bytes.subarray(UTF8.length) : bytes
}

/** Returns whether bytes begin with a byte order mark of UTF-16, in either byte order. PowerShell writes UTF-16. */
export function isUtf16([first = 0, second = 0]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

/** Decodes UTF-8, and keeps a byte order mark. @throws TypeError for bytes that are not UTF-8 */
export function exactText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

/**
 * Decodes a text file in UTF-8.
 *
 * @throws Error for another encoding; for UTF-16, the error says how to fix the file
 */
export function utf8In(bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw new Error('UTF-16: save it as UTF-8')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Error('other bytes', { cause })
  }
}

/** Removes one line end (LF or CR LF) from the end of bytes, because the line end belongs to the file. */
export function withoutLineEnd(bytes: Uint8Array): Uint8Array {
  if (bytes.at(-1) !== NEWLINE) return bytes
  return bytes.subarray(0, bytes.at(-2) === RETURN ? -2 : -1)
}

const NEWLINE = 0x0a
const RETURN = 0x0d

/** Returns whether an ASCII text is at an offset. Makes no string of the bytes, which may be a key. */
export function hasTextAt(text: string, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false
  }
  return true
}

/** Returns the index of the first byte that is not white space of JSON. */
export function beginOf(bytes: Uint8Array): number {
  let begin = 0
  while (isWhite(bytes[begin])) begin++
  return begin
}

/** Returns whether a byte is white space of JSON (RFC 8259 §2). */
export function isWhite(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

/** Pattern of a file name at the end of a path. Requires a dot, which no key contains, so that no key can match. */
const FILE_NAME = /[/\\]([\w-]+(?:\.[\w-]+)+)$/

/** Returns the file name at the end of a path. An error may quote the name even if the path could be a key. */
export function endOf(path: string): string | undefined {
  const [, name = ''] = FILE_NAME.exec(path) ?? []
  return name !== '' && isQuotable(name) ? `…/${name}` : undefined
}

/** Returns a path for errors: whole if it cannot be a secret, else the file name at its end, or only its length. */
export function shownPath(path: string): string {
  return isQuotable(path) ? path : (endOf(path) ?? `a path of ${path.length} characters`)
}

/** Parses a decimal integer from 0 to 2⁵³ − 1 without leading zeros. Returns undefined for every other text. */
export function readDecimal(text: string): number | undefined {
  if (!/^(0|[1-9]\d{0,15})$/.test(text)) return undefined
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : undefined
}
