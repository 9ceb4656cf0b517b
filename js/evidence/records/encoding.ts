import { exactText } from '../../foundation/base/text/text.js'

/**
 * Decodes bytes as UTF-8, or else as Latin-1: replacement characters would make different values equal. Not every platform decodes
 * Windows-1252, and some decode it incorrectly.
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

/** Number of arguments in a call that all platforms allow. */
const MOST_ARGUMENTS = 8192
