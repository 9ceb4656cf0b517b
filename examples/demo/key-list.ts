/** A PEM block, a JWK, or a word: hexadecimal. */
const KEY = /-----BEGIN[^-]+-----[^-]+-----END[^-]+-----|\{[^{}]*\}|\S+/g

/** Takes apart a text with one public key or several, in any form that the SDK reads. */
export function keysIn(text: string): readonly string[] {
  return text.match(KEY) ?? []
}
