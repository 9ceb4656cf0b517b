// Formats numbers, keys and quotations for sentences about packs.

/** Formats a number with commas: 1,024. */
export function count(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',')
}

export function countWithNoun(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`
}

const MAX_SHOWN = 24

export function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

const MAX_QUOTED = 200

/** Quotes an untrusted text. Replaces characters that control a terminal, are invisible, or reverse text. */
export function quotation(text: string): string {
  const characters = Array.from(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd'))
  const isLong = characters.length > MAX_QUOTED
  return JSON.stringify(isLong ? `${characters.slice(0, MAX_QUOTED).join('')}…` : characters.join(''))
}

export type NameOf = (keyId: string) => string
