import {
  type ClassicDialect,
  type ClassicMessage,
  keyIdOf,
  type SigningKeyInput,
  type VerifiedAnnotation,
  verifyClassic,
} from 'alvarium-sdk'
import { base64, fromBase64, textOf, utf8 } from './bytes.js'
import { type ClassicCase, classicCases, vectorBytes } from './vectors.js'

export const DIALECTS = ['go', 'java', 'rust', 'python'] as const satisfies ClassicDialect[]

export const signingKeyOf = (dialect: ClassicDialect): SigningKeyInput => {
  const file = vectorBytes(`keys/${dialect}-private.key`)
  return dialect === 'rust' ? { seed: file } : file
}
export const keyringOf = (dialect: ClassicDialect) => [vectorBytes(`keys/${dialect}-public.key`)]
export const signerOf = (dialect: ClassicDialect) => keyIdOf(vectorBytes(`keys/${dialect}-public.key`))

/** All messages that the other SDKs published, each with its dialect. */
export const everyCase: [string, ClassicDialect, ClassicCase][] = DIALECTS.flatMap((dialect) =>
  classicCases(dialect).map((one): [string, ClassicDialect, ClassicCase] => [
    `${dialect} ${one.name}`,
    dialect,
    one,
  ]),
)

export function caseOf(dialect: ClassicDialect, name: string): ClassicCase {
  const found = classicCases(dialect).find((one) => one.name === name)
  if (!found) throw new Error(`expected a message ${name} of ${dialect}`)
  return found
}

export function listOf(message: string | Uint8Array): string {
  const { content } = JSON.parse(typeof message === 'string' ? message : textOf(message))
  return textOf(fromBase64(content))
}

export function withList(message: string, alter: (list: string) => string): Uint8Array {
  const envelope = JSON.parse(message)
  const list = alter(listOf(message))
  if (list === listOf(message)) throw new Error('expected another list')
  return utf8(JSON.stringify({ ...envelope, content: base64(utf8(list)) }))
}

export function verifiedOf({ annotations }: ClassicMessage): VerifiedAnnotation[] {
  return annotations.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** Returns the verdict of each annotation: `verified`, or an error code. */
export async function verdicts(...args: Parameters<typeof verifyClassic>): Promise<string[]> {
  const { annotations } = await verifyClassic(...args)
  return annotations.map((one) => (one.status === 'fulfilled' ? 'verified' : one.reason.code))
}
