import { expect } from 'vitest'
import { textOf, utf8 } from './bytes.js'

/** Changed evidence: the path to the change with its description, and all of the evidence. */
export type Change<E> = readonly [where: string, evidence: E]

/**
 * Yields evidence with one piece of it removed, altered, or replaced by that of another case, for each piece.
 * Members of lists and objects, and the lines of a text, are pieces as well.
 *
 * @param one - evidence, whose members are pieces
 * @param other - evidence of another case, with the same members
 * @param isDeep - whether the values in messages are pieces as well
 */
export function* changesOf<E>(one: E, other: E, isDeep = true): Generator<Change<E>> {
  const seen = new Set([keyOf(one)])
  for (const [where, changed] of changes(one, other, isDeep)) {
    const key = keyOf(changed)
    if (seen.has(key)) continue
    seen.add(key)
    yield [where, changed as E]
  }
}

type Found = readonly [where: string, value: unknown]

function* changes(one: unknown, other: unknown, isDeep: boolean): Generator<Found> {
  if (one instanceof Uint8Array) yield* ofBytes(one, isDeep ? other : undefined, isDeep)
  else if (Array.isArray(one)) yield* ofMembers(one, other, (at) => one.toSpliced(Number(at), 1), isDeep)
  else if (typeof one === 'string') yield* ofText(one, other)
  else if (typeof one === 'number') yield* [['altered', one + 1] as const, ['altered', one - 1] as const]
  else if (typeof one === 'boolean') yield ['altered', !one]
  else if (isPlain(one)) yield* ofMembers(one, other, (name) => ({ ...one, [name]: undefined }), isDeep)
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function* ofMembers(
  one: object,
  other: unknown,
  without: (name: string) => unknown,
  isDeep: boolean,
): Generator<Found> {
  const others: object = typeof other === 'object' && other !== null ? other : {}
  const changed = (name: string, value: unknown) =>
    Array.isArray(one) ? one.with(Number(name), value) : { ...one, [name]: value }
  for (const [name, value] of Object.entries(one)) {
    if (value === undefined) continue
    const there: unknown = Reflect.get(others, name)
    yield [`${name} removed`, without(name)]
    if (there !== undefined) yield [`${name} of another`, changed(name, there)]
    for (const [where, inside] of changes(value, there, isDeep))
      yield [`${name} ${where}`, changed(name, inside)]
  }
}

/** Yields changes in a message, whose values are pieces; or in other bytes. */
function* ofBytes(one: Uint8Array, other: unknown, isDeep: boolean): Generator<Found> {
  const read = isDeep ? jsonIn(one) : undefined
  if (read !== undefined) {
    for (const [where, value] of changes(read, jsonIn(other), true))
      yield [where, utf8(JSON.stringify(value))]
    return
  }
  for (const at of [0, one.length >> 1, one.length - 1])
    yield ['altered', one.with(at, (one[at] as number) ^ 1)]
  yield ['cut off', one.slice(0, -1)]
}

/** Returns the JSON that some bytes are; undefined for others, such as a key that begins with a brace. */
function jsonIn(bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array) || bytes[0] !== 0x7b) return undefined
  try {
    return JSON.parse(textOf(bytes))
  } catch {
    return undefined
  }
}

/** Yields changes in the lines of a text; in a single line, at its ends. */
function* ofText(one: string, other: unknown): Generator<Found> {
  const lines = one.split('\n')
  if (lines.length > 1) {
    const others = typeof other === 'string' ? other.split('\n') : undefined
    for (const [where, value] of changes(lines, others, true))
      yield [`line ${where}`, (value as string[]).join('\n')]
    return
  }
  for (const at of new Set([0, one.length >> 1, one.length - 1])) {
    if (at >= 0) yield ['altered', one.slice(0, at) + anotherCharacter(one.charAt(at)) + one.slice(at + 1)]
  }
}

/** Returns another character of the same kind. */
function anotherCharacter(character: string): string {
  if (/[0-8a-eA-Eg-yG-Y]/.test(character)) return String.fromCharCode(character.charCodeAt(0) + 1)
  return character === '9' ? '8' : character === '=' ? 'A' : character === '0' ? '1' : '0'
}

function keyOf(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    one instanceof Uint8Array ? `bytes ${textOf(one)} ${one.join()}` : one,
  )
}

/** The whole verdict if it holds, otherwise the reason. */
export type Outcome = { readonly holds: unknown } | { readonly reason: string }

/** Function that returns a verdict on pieces of evidence, with two cases. */
export interface Kind<E extends object> {
  /** Evidence with which the verdict holds, and the evidence of another case. */
  readonly cases: () => Promise<readonly [one: E, other: E]>
  readonly verdict: (evidence: E) => Promise<Outcome>
  /** Patterns of reasons, by the piece that they name. */
  readonly reasons: { readonly [piece in keyof E]: RegExp }
  /** False to leave the values in messages as they are: the table of the verifying functions has those. Default: true. */
  readonly isDeep?: boolean
  /** Changes after which the verdict holds in other words: a whole message replaced by another one, for example. */
  readonly holdsAfter?: readonly string[]
}

/**
 * Checks that a verdict no longer holds once any piece of its evidence is removed, altered or of another case. The
 * reason must name the piece.
 */
export async function checkPieces<E extends object>(kind: Kind<E>): Promise<void> {
  const { cases, verdict, reasons, holdsAfter = [], isDeep } = kind
  const [one, other] = await cases()
  const whole = await verdict(one)
  expect(whole).toEqual({ holds: expect.anything() })
  const wrong: string[] = []
  const inOtherWords = new Set<string>()
  let count = 0
  for (const [where, evidence] of changesOf(one, other, isDeep)) {
    count++
    const said = await verdict(evidence).catch((error: Error) => ({ reason: error.message }))
    const piece = where.split(' ')[0] as keyof E
    if ('reason' in said) {
      if (!reasons[piece].test(said.reason)) wrong.push(`${where}: ${said.reason}`)
    } else if (keyOf(said) === keyOf(whole) || !holdsAfter.includes(where)) wrong.push(`${where}: it holds`)
    else inOtherWords.add(where)
  }
  expect(wrong).toEqual([])
  expect([...inOtherWords]).toEqual(holdsAfter)
  expect(count).toBeGreaterThan(2 * Object.keys(one).length)
}

export function kind<E extends object>(given: Kind<E>): () => Promise<void> {
  return () => checkPieces(given)
}
