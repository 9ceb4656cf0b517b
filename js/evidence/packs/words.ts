// Numbers, keys and quotations in sentences about packs.

/** Writes a number as 1,024. */
export function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Writes a count with its noun: 1 message, 2 messages. */
export function countWithNoun(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`
}

const MAX_SHOWN = 24

/** Returns the beginning of a long key or id. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

const MAX_QUOTED = 200

/**
 * Returns someone else's words as one quotation: bounded, and without characters that control a terminal, are invisible or reverse text.
 * It escapes quotation marks, so the words cannot end their quotation.
 */
export function quotation(text: string): string {
  const characters = Array.from(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd'))
  const isLong = characters.length > MAX_QUOTED
  return JSON.stringify(isLong ? `${characters.slice(0, MAX_QUOTED).join('')}…` : characters.join(''))
}

/** Returns the name of a signer by its key id. */
export type NameOf = (keyId: string) => string
