import { readNote } from '../logs/note.js'
import { readCosignature } from './cosignature.js'
import type { ReadQuorum } from './options.js'

/** Returns the signature lines of a note that verify with the key of one of the witnesses. */
export function linesOf(note: string, { witnesses }: Pick<ReadQuorum, 'witnesses'>): string[] {
  const { text, signatures } = readNote(note)
  return signatures.flatMap(({ name, keyId, signature, line }) => {
    const witness = witnesses.find((one) => one.name === name && one.keyId === keyId)
    const cosignature = witness && readCosignature(signature)
    return cosignature && witness.verifies(text, cosignature) ? [line] : []
  })
}

/** Returns a note with only the log's own signatures, or the unchanged note if there are none. */
export function ownNote(note: string): string {
  const { text, signatures } = readNote(note)
  const origin = text.slice(0, text.indexOf('\n'))
  const ownSignatures = signatures.filter(({ name }) => name === origin)
  return ownSignatures.length === 0
    ? note
    : `${text}\n${ownSignatures.map(({ line }) => `${line}\n`).join('')}`
}

export function withLines(note: string, lines: readonly string[]): string {
  const known = new Set(readNote(note).signatures.map(({ line }) => line))
  return note + lines.flatMap((line) => (known.has(line) ? [] : `${line}\n`)).join('')
}
