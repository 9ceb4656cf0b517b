import type { Row } from '../database/connection.js'
import { oneRow, type Session } from '../database/database.js'
import { byteColumn, bytesIn, numberIn, numbers, numbersIn, textOf } from './columns.js'
import { sha256All } from './payload-name.js'

/**
 * SQL column that changes with each transaction that adds words or lists. An unexpected value can also mean
 * another history of the database, such as a promoted replica or a backup.
 */
export const NAMING_COLUMN = 'naming::text as naming'

/** Limit of cached words, and of cached lists. When a cache exceeds it, the cache is cleared. */
const MAX_CACHED = 100_000

/**
 * Caches words and lists with their ids. Their rows never change, but another process may add some. A new
 * connection may lead to a server that lacks the last transactions; a pooler such as PgBouncer may even do
 * this unnoticed. Therefore `head.naming` is compared. A list is found by the {@link listKey} of its texts,
 * because a key of word ids took twice as long.
 */
export class StringTable {
  readonly #words = new Map<string, number>()
  readonly #texts = new Map<number, string>()
  readonly #lists = new Map<string, number>()
  readonly #members = new Map<number, readonly number[]>()
  /** Value of the column `head.naming` when the cache was filled. A new value shows that words or lists were added. */
  #naming: string | undefined

  #session: Session | undefined

  follow(session: Session, naming: string): void {
    if (naming !== this.#naming) this.forget()
    this.#naming = naming
    this.#session = session
  }

  word(text: string): number | undefined {
    return this.#words.get(text)
  }

  list(key: string): number | undefined {
    return this.#lists.get(key)
  }

  text(word: number): string {
    return this.#texts.get(word) as string
  }

  texts(list: number): string[] {
    return (this.#members.get(list) as readonly number[]).map((word) => this.text(word))
  }

  /**
   * Caches the words and lists that a committed transaction has stored.
   *
   * @param naming - `head.naming` before and after the transaction. If the cache has neither of these values,
   * other transactions came in between, and nothing is cached
   */
  remember(
    words: ReadonlyMap<string, number>,
    lists: ReadonlyMap<string, number>,
    [before, after]: readonly [string, string],
  ): void {
    if (this.#naming !== before && this.#naming !== after) return
    this.#naming = after
    for (const [text, word] of words) this.#words.set(text, word)
    for (const [key, list] of lists) this.#lists.set(key, list)
  }

  /** Clears caches that have become too large. Call it only when no cached words are needed any more. */
  forgetSome(): void {
    for (const one of this.#all) if (one.size > MAX_CACHED) one.clear()
  }

  forget(): void {
    for (const one of this.#all) one.clear()
  }

  get #all() {
    return [this.#words, this.#texts, this.#lists, this.#members]
  }

  async learn(session: Session, rows: readonly Row[], columns: NamedColumns): Promise<void> {
    if (rows.length > 0 && session !== this.#session) {
      const head = await oneRow(session, `select ${NAMING_COLUMN} from alvarium.head`)
      this.follow(session, String(head['naming']))
    }
    const listIds = numbersIn(rows, columns.lists)
    const unknown = listIds.filter((list) => !this.#members.has(list))
    for (const row of unknown.length === 0 ? [] : await session.query(LISTS, [numbers(unknown)])) {
      this.#members.set(numberIn(row, 'id'), (row['words'] as number[]).map(Number))
    }
    const needed = new Set([
      ...numbersIn(rows, columns.words),
      ...listIds.flatMap((list) => this.#members.get(list) ?? []),
    ])
    const unread = [...needed].filter((word) => !this.#texts.has(word))
    for (const row of unread.length === 0 ? [] : await session.query(WORDS, [numbers(unread)])) {
      this.#texts.set(numberIn(row, 'id'), textOf(bytesIn(row, 'word')))
    }
  }
}

export interface NamedColumns {
  readonly words: readonly string[]
  readonly lists?: readonly string[]
}

/** Joins the texts of a list into one text, the key of the list in a cache. Different lists have different keys. */
export function listKey(texts: readonly string[]): string {
  let key = ''
  for (const text of texts) key += `${text.length}:${text}`
  return key
}

const LISTS = 'select id, words from unnest($1::text::integer[]) as given (id) join alvarium.list using (id)'
const WORDS = 'select id, word from unnest($1::text::integer[]) as given (id) join alvarium.word using (id)'

/** Finds or stores the words and lists that a transaction needs, and maps their texts to ids. */
export class StringTableWriter {
  readonly #strings: StringTable
  readonly #words = new Map<string, number>()
  readonly #lists = new Map<string, number>()

  constructor(strings: StringTable) {
    this.#strings = strings
  }

  word(text: string): number {
    return this.#strings.word(text) ?? (this.#words.get(text) as number)
  }

  list(key: string): number {
    return this.#strings.list(key) ?? (this.#lists.get(key) as number)
  }

  /**
   * Finds or stores words.
   *
   * @param from - the next unused id
   * @returns the next unused id afterwards
   */
  async nameWords(session: Session, texts: Iterable<string>, from: number): Promise<number> {
    const unknown = [...new Set(texts)].filter((text) => this.#strings.word(text) === undefined)
    if (unknown.length === 0) return from
    const bytes = unknown.map((text) => new TextEncoder().encode(text))
    const left = await findIds(session, FIND_WORDS, unknown, bytes, this.#words)
    if (left.length === 0) return from
    await session.query(ADD_WORDS, [from, ...byteColumn(left.map((at) => bytes[at]))])
    for (const [more, at] of left.entries()) this.#words.set(unknown[at] as string, from + more)
    return from + left.length
  }

  /** Finds or stores lists of words, by {@link listKey}. @returns the next unused id afterwards */
  async nameLists(
    session: Session,
    lists: ReadonlyMap<string, readonly string[]>,
    from: number,
  ): Promise<number> {
    const unknown = [...lists.keys()].filter((key) => this.#strings.list(key) === undefined)
    if (unknown.length === 0) return from
    const digests = sha256All(unknown.map((key) => new TextEncoder().encode(key)))
    const left = await findIds(session, FIND_LISTS, unknown, digests, this.#lists)
    if (left.length === 0) return from
    const wordsOf = (key: string) => numbers(lists.get(key)?.map((text) => this.word(text)) ?? [])
    const members = JSON.stringify(left.map((at) => wordsOf(unknown[at] as string)))
    await session.query(ADD_LISTS, [from, members, ...byteColumn(left.map((at) => digests[at]))])
    for (const [more, at] of left.entries()) this.#lists.set(unknown[at] as string, from + more)
    return from + left.length
  }

  /** Adds the words and lists to the shared cache. Call it after the commit. */
  committed(naming: readonly [before: string, after: string]): void {
    this.#strings.remember(this.#words, this.#lists, naming)
  }
}

/** Adds the ids of stored rows to `ids`, by key. @returns the indexes of the keys that have no row */
async function findIds(
  session: Session,
  statement: string,
  keys: readonly string[],
  bytes: readonly Uint8Array[],
  ids: Map<string, number>,
): Promise<number[]> {
  for (const row of await session.query(statement, byteColumn(bytes))) {
    ids.set(keys[numberIn(row, 'place') - 1] as string, numberIn(row, 'id'))
  }
  return keys.flatMap((key, at) => (ids.has(key) ? [] : [at]))
}

const GIVEN_PARTS = `unnest($2::text::integer[], $3::text::integer[]) with ordinality as given (start, length, place)`

const FIND_WORDS = `
  select id, place from ${GIVEN_PARTS}
  join alvarium.word on word = substring($1::bytea from start for length)`

const FIND_LISTS = `
  select id, place from ${GIVEN_PARTS}
  join alvarium.list on digest = substring($1::bytea from start for length)`

const ADD_WORDS = `
  insert into alvarium.word (id, word)
  select $1::integer + place - 1, substring($2::bytea from start for length)
  from unnest($3::text::integer[], $4::text::integer[]) with ordinality as given (start, length, place)`

const ADD_LISTS = `
  insert into alvarium.list (id, digest, words)
  select $1::integer + place - 1, substring($3::bytea from start for length), words::integer[]
  from rows from (
    jsonb_array_elements_text($2::text::jsonb),
    unnest($4::text::integer[], $5::text::integer[])
  ) with ordinality as given (words, start, length, place)`
