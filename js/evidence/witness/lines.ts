import { readNote } from '../logs/note.js'
import { readCosignature } from './cosignature.js'
import type { ReadQuorum } from './options.js'

/** Returns the lines of a note that these witnesses have signed. Other lines are left out, whatever they say. */
export function linesOf(note: string, { witnesses }: Pick<ReadQuorum, 'witnesses'>): string[] {
  const { text, signatures } = readNote(note)
  return signatures.flatMap(({ name, keyId, signature, line }) => {
    const witness = witnesses.find((one) => one.name === name && one.keyId === keyId)
    const cosignature = witness && readCosignature(signature)
    return cosignature && witness.verifies(text, cosignature) ? [line] : []
  })
}

/** Returns a note with the signatures under the name of its log alone; all, if there is none of that name. */
export function ownNote(note: string): string {
  const { text, signatures } = readNote(note)
  const origin = text.slice(0, text.indexOf('\n'))
  const own = signatures.filter(({ name }) => name === origin)
  return own.length === 0 ? note : `${text}\n${own.map(({ line }) => `${line}\n`).join('')}`
}

/** Returns a note with more signatures: those lines that it does not have. */
export function withLines(note: string, lines: readonly string[]): string {
  const known = new Set(readNote(note).signatures.map(({ line }) => line))
  return note + lines.flatMap((line) => (known.has(line) ? [] : `${line}\n`)).join('')
}
