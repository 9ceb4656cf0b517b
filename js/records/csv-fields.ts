import { withoutReturn } from './splitter.js'

const decoder = new TextDecoder()
const QUOTE = '"'

/** The fields of a record of CSV in which all quotation marks are in their places (RFC 4180 §2). */
export function* fieldsOf(record: Uint8Array, separator: string): Generator<string, void> {
  const text = decoder.decode(withoutReturn(record))
  for (let at = 0; at <= text.length; at++) {
    const start = at
    at = text[at] === QUOTE ? behindQuotes(text, at) : endOf(text, separator, at)
    yield text[start] === QUOTE
      ? text.slice(start + 1, at - 1).replaceAll('""', QUOTE)
      : text.slice(start, at)
  }
}

function endOf(text: string, separator: string, from: number): number {
  const end = text.indexOf(separator, from)
  return end < 0 ? text.length : end
}

/** Behind the mark that closes the field: two of them stand for one. */
function behindQuotes(text: string, from: number): number {
  let end = text.indexOf(QUOTE, from + 1)
  while (text[end + 1] === QUOTE) end = text.indexOf(QUOTE, end + 2)
  return end < 0 ? text.length : end + 1
}
