import { toBase64 } from '../base/base64.js'
import type { Action } from '../model/bundle.js'
import type { ClassicAnnotation } from './annotation.js'
import type { Dialect, Member } from './dialect.js'

/** Signs a text: hexadecimal of the signature, in lower case. */
export type SignText = (text: string) => string

/** A message as the dialect's SDK would publish it, each annotation with a signature of its own. */
export function writeMessage(
  action: Action,
  annotations: readonly ClassicAnnotation[],
  dialect: Dialect,
  sign: SignText,
): Uint8Array {
  const { comma, colon, messageType, quote } = dialect
  const items = annotations.map((annotation) => writeAnnotation(annotation, dialect, sign))
  const isLeftOut = dialect.omitsEmpty && items.length === 0
  const list = isLeftOut ? '{}' : `{"items"${colon}[${items.join(comma)}]}`
  const members = Object.entries({ action, messageType, content: toBase64(utf8(list)) })
  return utf8(`{${members.map(([name, value]) => `"${name}"${colon}${quote(value)}`).join(comma)}}`)
}

function writeAnnotation(annotation: ClassicAnnotation, dialect: Dialect, sign: SignText): string {
  const { comma, colon, members, upperSignature } = dialect
  const place = members.indexOf('signature')
  const before = `{${writeMembers(annotation, members.slice(0, place), dialect).join(comma)}`
  const after = `${comma}${writeMembers(annotation, members.slice(place + 1), dialect).join(comma)}}`
  const signature = sign(dialect.signedText({ before, after }))
  const spelled = upperSignature ? signature.toUpperCase() : signature
  return `${before}${comma}"signature"${colon}"${spelled}"${after}`
}

function writeMembers(annotation: ClassicAnnotation, names: readonly Member[], dialect: Dialect): string[] {
  const values: Partial<Record<Member, string | boolean>> = annotation
  const written = names.filter((name) => !(dialect.omitsEmpty && values[name] === ''))
  return written.map((name) => {
    const value = values[name]
    return `"${name}"${dialect.colon}${typeof value === 'string' ? dialect.quote(value) : value}`
  })
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
