import { exactText } from '../base/text/text.js'

/**
 * What bytes say. Those that are not UTF-8 count as Latin-1: a replacement character would stand for any of them, and make values alike.
 * Not every platform decodes Windows-1252, and some decode it wrong.
 */
export function textIn(bytes: Uint8Array): string {
  try {
    return exactText(bytes)
  } catch {
    return latin1(bytes)
  }
}

function latin1(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += MOST_ARGUMENTS) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + MOST_ARGUMENTS)))
  }
  return parts.join('')
}

/** All platforms take so many in a call. */
const MOST_ARGUMENTS = 8192
