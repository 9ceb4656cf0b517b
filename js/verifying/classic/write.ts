import { toBase64 } from '../../foundation/base/bytes/base64.js'
import type { Action } from '../../foundation/model/bundle.js'
import type { ClassicAnnotation } from './annotation.js'
import type { Dialect, MemberName, SurroundingText } from './dialect.js'

export interface UnsignedMessage {
  readonly texts: readonly Uint8Array[]
  /** Returns the message in the bytes of the dialect's SDK, with one hexadecimal signature for each text. */
  signed(signatures: readonly string[]): Uint8Array
}

/** Prepares a message of these annotations in the dialect. Pass the signatures in lower-case hexadecimal. */
export function unsignedMessage(
  action: Action,
  annotations: readonly ClassicAnnotation[],
  dialect: Dialect,
): UnsignedMessage {
  const parts = annotations.map((annotation) => partsOf(annotation, dialect))
  return {
    texts: parts.map((part) => utf8(dialect.signedText(part))),
    signed: (signatures) => {
      const items = parts.map((part, at) => writeAnnotation(part, signatures[at] as string, dialect))
      return writeMessage(action, items, dialect)
    },
  }
}

function writeMessage(action: Action, items: readonly string[], dialect: Dialect): Uint8Array {
  const { comma, colon, messageType, quote } = dialect
  const isLeftOut = dialect.omitsEmpty && items.length === 0
  const list = isLeftOut ? '{}' : `{"items"${colon}[${items.join(comma)}]}`
  const members = Object.entries({ action, messageType, content: toBase64(utf8(list)) })
  return utf8(`{${members.map(([name, value]) => `"${name}"${colon}${quote(value)}`).join(comma)}}`)
}

function partsOf(annotation: ClassicAnnotation, dialect: Dialect): SurroundingText {
  const { comma, members } = dialect
  const place = members.indexOf('signature')
  return {
    before: `{${writeMembers(annotation, members.slice(0, place), dialect).join(comma)}`,
    after: `${comma}${writeMembers(annotation, members.slice(place + 1), dialect).join(comma)}}`,
  }
}

function writeAnnotation({ before, after }: SurroundingText, signature: string, dialect: Dialect): string {
  const { comma, colon, upperSignature } = dialect
  const spelled = upperSignature ? signature.toUpperCase() : signature
  return `${before}${comma}"signature"${colon}"${spelled}"${after}`
}

function writeMembers(
  annotation: ClassicAnnotation,
  names: readonly MemberName[],
  dialect: Dialect,
): string[] {
  const values: Partial<Record<MemberName, string | boolean>> = annotation
  const includedNames = names.filter((name) => !(dialect.omitsEmpty && values[name] === ''))
  return includedNames.map((name) => {
    const value = values[name]
    return `"${name}"${dialect.colon}${typeof value === 'string' ? dialect.quote(value) : value}`
  })
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
