import { fourBits, toHex } from '../../foundation/base/bytes/hex.js'
import { describe, expected, isBytes } from '../../foundation/base/errors.js'

/*
 * Readers of values. An application may have replaced a driver's parsers for the whole process, for example
 * with `pg.types.setTypeParser(17, …)`. Each statement of the store therefore passes its own parsers. On a
 * connection that does not accept parsers, each value is checked.
 */

/** Reads the text that PostgreSQL sends for a value of one type. */
interface Reader {
  readonly read: (text: string) => unknown
  /** Returns true if a driver's own parser may have returned this value for the type. */
  readonly is: (value: unknown) => boolean
}

const isText = (value: unknown) => typeof value === 'string'
const isWhole = (value: unknown) =>
  typeof value === 'bigint' ||
  Number.isSafeInteger(value) ||
  (isText(value) && /^-?\d+$/.test(value as string))
const isList = (value: unknown) => Array.isArray(value) && value.every(isWhole)

const TEXT: Reader = { read: (text) => text, is: isText }
const INTEGER: Reader = { read: Number, is: isWhole }
/** Reader that returns texts, because the values can exceed the safe integers of JavaScript. */
const LARGE: Reader = { read: (text) => text, is: isWhole }
const INTEGERS: Reader = { read: (text) => membersOf(text).map(Number), is: isList }

/** Readers by type number (pg_type.dat), for all types that the store selects. */
const READERS: ReadonlyMap<number, Reader> = new Map([
  [16, { read: (text) => text === 't', is: (value) => typeof value === 'boolean' }], // boolean
  [17, { read: bytesOf, is: isBytes }], // bytea
  ...[18, 19, 25, 2278].map((type) => [type, TEXT] as const), // char, name, text, void
  ...[21, 23].map((type) => [type, INTEGER] as const), // smallint, integer
  ...[20, 1700].map((type) => [type, LARGE] as const), // bigint, numeric
  ...[1005, 1007].map((type) => [type, INTEGERS] as const), // smallint[], integer[]
  [1016, { read: membersOf, is: isList }], // bigint[]
])

/** Type conversions for PGlite's `query`. Bytes stay unchanged, because PGlite converts only 500 kB per second. */
const OPTIONS_OF_PGLITE = {
  serializers: { 17: (bytes: Uint8Array) => bytes as unknown as string },
  parsers: Object.fromEntries([...READERS].map(([type, { read }]) => [type, read])),
}

const TYPES = {
  getTypeParser: (type: number, format = 'text') =>
    format === 'text'
      ? readerOf(type).read
      : () => refuse('values as text', 'a connection that asks for binary values'),
}

export type Row = Readonly<Record<string, unknown>>

/** A statement with its parameters, which can be sent in one round trip with others. */
export type Statement = readonly [text: string, params?: readonly (number | boolean | Uint8Array)[]]

export interface ReadConnection {
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly Row[] }>
  /** Runs statements in sequence, in one round trip if possible. @returns the rows of each statement */
  queryAll(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>
}

interface DriverConnection {
  query(text: string, params?: unknown[]): Promise<Result>
}

/** A client of `pg`. It returns a list of results for a text of several statements. */
interface PgConnection {
  query(query: object): Promise<Result | Result[]>
}

interface EmbeddedConnection {
  query(text: string, params: unknown[] | undefined, options: object): Promise<Result>
  exec(texts: string, options: object): Promise<Result[]>
}

interface Result {
  readonly rows: readonly Row[]
  readonly fields?: readonly { readonly name: string; readonly dataTypeID: number }[]
}

export function withReaders(connection: object): ReadConnection {
  if ('execProtocolRaw' in connection) return ofEmbedded(connection as unknown as EmbeddedConnection)
  if ('getTypeParser' in connection) return ofPg(connection as unknown as PgConnection)
  return ofStranger(connection as DriverConnection)
}

function ofEmbedded(connection: EmbeddedConnection): ReadConnection {
  return {
    query: async (text, params) => ofKnownTypes(await connection.query(text, params, OPTIONS_OF_PGLITE)),
    queryAll: async (statements) => {
      const results = await connection.exec(joinStatements(statements), OPTIONS_OF_PGLITE)
      return results.map((one) => ofKnownTypes(one).rows)
    },
  }
}

function ofPg(connection: PgConnection): ReadConnection {
  const results = async (text: string, values?: unknown[]) =>
    [await connection.query({ text, values, types: TYPES })].flat().map(ofKnownTypes)
  return {
    query: async (text, values) => (await results(text, values))[0] as Result,
    queryAll: async (statements) => (await results(joinStatements(statements))).map(({ rows }) => rows),
  }
}

/** Joins statements into one text. Such a text cannot have parameters, so their values are inserted. */
export function joinStatements(statements: readonly Statement[]): string {
  return statements.map(([text, params = []]) => inline(text, params)).join(';')
}

function inline(text: string, params: NonNullable<Statement[1]>): string {
  return text.replace(/\$(\d)/g, (_, place) => {
    const value = params[place - 1]
    return isBytes(value) ? `decode('${toHex(value)}', 'hex')` : `${value}`
  })
}

/** Wraps a connection of an unknown driver. Sends statements one by one, and checks the returned values. */
function ofStranger(connection: DriverConnection): ReadConnection {
  const query = async (text: string, params?: unknown[]) => checkValues(await connection.query(text, params))
  return {
    query,
    queryAll: async (statements) => {
      const all: (readonly Row[])[] = []
      for (const [text, params] of statements) all.push((await query(text, params && [...params])).rows)
      return all
    },
  }
}

function ofKnownTypes(result: Result): Result {
  for (const { dataTypeID } of result.fields ?? []) readerOf(dataTypeID)
  return result
}

function checkValues(result: Result): Result {
  for (const { name, dataTypeID } of result.fields ?? []) {
    const { is } = readerOf(dataTypeID)
    for (const { [name]: value } of result.rows) {
      if (value === null || is(value)) continue
      const got = `${describe(value)}: a type parser of the driver has altered it`
      refuse(`the value that PostgreSQL sent in the column ${name}`, got)
    }
  }
  return result
}

function readerOf(type: number): Reader {
  return READERS.get(type) ?? refuse('columns of known types', `a column of type ${type}: run audit`)
}

function refuse(expectation: string, got: string): never {
  throw expected('STORE_FAILED', 'store', expectation, got)
}

function bytesOf(text: string): Uint8Array {
  if (!text.startsWith('\\x')) refuse('bytes as hexadecimal digits', 'bytes in another form')
  const bytes = new Uint8Array(text.length / 2 - 1)
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = (fourBits(text.charCodeAt(2 * at + 2)) << 4) | fourBits(text.charCodeAt(2 * at + 3))
  }
  return bytes
}

function membersOf(text: string): string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',')
}
