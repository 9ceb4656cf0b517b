import { byteColumn, bytesIn, numberIn, numbers, numbersIn, textOf } from './columns.js'
import type { Row } from './connection.js'
import { oneRow, type Session } from './database.js'
import { sha256All } from './payload-name.js'

/** Changes with each transaction that names something new. Another one may mean another line of the database: a promoted replica, or a backup. */
export const NAMING = 'naming::text as naming'

/** So many words are remembered, and so many lists. With one more, all are forgotten. */
const MOST_REMEMBERED = 100_000

/**
 * What the numbers of words and lists stand for. Rows of theirs never change, so what was read once is remembered
 * until the connection is lost, or others name something new. A pooler (PgBouncer) keeps the connection when it goes on with another server,
 * which may lack the last transactions, so `head.naming` decides.
 *
 * A list is known by its texts behind their lengths, {@link listKey}: to look for the number of each word first took twice as long.
 */
export class Lexicon {
  readonly #words = new Map<string, number>()
  readonly #texts = new Map<number, string>()
  readonly #lists = new Map<string, number>()
  readonly #members = new Map<number, readonly number[]>()
  /** The value of `head.naming` with which all of this was read. */
  #naming: string | undefined

  /** The transaction that has seen this value. */
  #session: Session | undefined

  /** Forgets everything unless it belongs to this state of the names. */
  follow(session: Session, naming: string): void {
    if (naming !== this.#naming) this.forget()
    this.#naming = naming
    this.#session = session
  }

  /** The number of a word that is known here. */
  word(text: string): number | undefined {
    return this.#words.get(text)
  }

  /** The same of a list. */
  list(key: string): number | undefined {
    return this.#lists.get(key)
  }

  /** Must have been learned by {@link learn}. */
  text(word: number): string {
    return this.#texts.get(word) as string
  }

  /** The words of a list that was learned. */
  texts(list: number): string[] {
    return (this.#members.get(list) as readonly number[]).map((word) => this.text(word))
  }

  /**
   * Remembers what a committed transaction has stored.
   *
   * @param naming - before it, and afterwards: if others were followed in between, it is too late
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

  /** Keeps memory small. Call it only when nothing that was learned is needed any more. */
  forgetSome(): void {
    for (const one of this.#all) if (one.size > MOST_REMEMBERED) one.clear()
  }

  forget(): void {
    for (const one of this.#all) one.clear()
  }

  get #all() {
    return [this.#words, this.#texts, this.#lists, this.#members]
  }

  /** Reads what rows refer to, unless it is remembered. */
  async learn(session: Session, rows: readonly Row[], columns: NamedColumns): Promise<void> {
    if (rows.length > 0 && session !== this.#session) {
      const head = await oneRow(session, `select ${NAMING} from alvarium.head`)
      this.follow(session, String(head['naming']))
    }
    const asked = numbersIn(rows, columns.lists)
    const unknown = asked.filter((list) => !this.#members.has(list))
    for (const row of unknown.length === 0 ? [] : await session.query(LISTS, [numbers(unknown)])) {
      this.#members.set(numberIn(row, 'id'), (row['words'] as number[]).map(Number))
    }
    const needed = new Set([
      ...numbersIn(rows, columns.words),
      ...asked.flatMap((list) => this.#members.get(list) ?? []),
    ])
    const untold = [...needed].filter((word) => !this.#texts.has(word))
    for (const row of untold.length === 0 ? [] : await session.query(WORDS, [numbers(untold)])) {
      this.#texts.set(numberIn(row, 'id'), textOf(bytesIn(row, 'word')))
    }
  }
}

/** Columns that have the numbers of words, and those that have the numbers of lists. */
export interface NamedColumns {
  readonly words: readonly string[]
  readonly lists?: readonly string[]
}

/** A list of texts as one text. Different lists never give the same text. */
export function listKey(texts: readonly string[]): string {
  let key = ''
  for (const text of texts) key += `${text.length}:${text}`
  return key
}

const LISTS = 'select id, words from unnest($1::text::integer[]) as given (id) join alvarium.list using (id)'
const WORDS = 'select id, word from unnest($1::text::integer[]) as given (id) join alvarium.word using (id)'

/** Words and lists that a transaction needs: found, or stored, by their texts. */
export class Naming {
  readonly #lexicon: Lexicon
  readonly #words = new Map<string, number>()
  readonly #lists = new Map<string, number>()

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon
  }

  /** Must have been named by {@link nameWords}. */
  word(text: string): number {
    return this.#lexicon.word(text) ?? (this.#words.get(text) as number)
  }

  /** Must have been named by {@link nameLists}. */
  list(key: string): number {
    return this.#lexicon.list(key) ?? (this.#lists.get(key) as number)
  }

  /** @param from - the number of the next word @returns that of the next one afterwards */
  async nameWords(session: Session, texts: Iterable<string>, from: number): Promise<number> {
    const unknown = [...new Set(texts)].filter((text) => this.#lexicon.word(text) === undefined)
    if (unknown.length === 0) return from
    const bytes = unknown.map((text) => new TextEncoder().encode(text))
    for (const row of await session.query(FIND_WORDS, byteColumn(bytes))) {
      this.#words.set(unknown[numberIn(row, 'place') - 1] as string, numberIn(row, 'id'))
    }
    const left = unknown.flatMap((text, at) => (this.#words.has(text) ? [] : [[text, bytes[at]] as const]))
    if (left.length === 0) return from
    await session.query(ADD_WORDS, [from, ...byteColumn(left.map(([, one]) => one))])
    for (const [at, [text]] of left.entries()) this.#words.set(text, from + at)
    return from + left.length
  }

  /** Lists of words that were named, by {@link listKey}. @returns the number of the next list afterwards */
  async nameLists(
    session: Session,
    lists: ReadonlyMap<string, readonly string[]>,
    from: number,
  ): Promise<number> {
    const unknown = [...lists].filter(([key]) => this.#lexicon.list(key) === undefined)
    if (unknown.length === 0) return from
    const digests = sha256All(unknown.map(([key]) => new TextEncoder().encode(key)))
    for (const row of await session.query(FIND_LISTS, byteColumn(digests))) {
      this.#lists.set((unknown[numberIn(row, 'place') - 1] as Listed)[0], numberIn(row, 'id'))
    }
    const left = unknown.flatMap(([key, texts], at) =>
      this.#lists.has(key) ? [] : [{ key, words: texts.map((text) => this.word(text)), digest: digests[at] }],
    )
    if (left.length === 0) return from
    const members = JSON.stringify(left.map(({ words }) => numbers(words)))
    await session.query(ADD_LISTS, [from, members, ...byteColumn(left.map(({ digest }) => digest))])
    for (const [at, { key }] of left.entries()) this.#lists.set(key, from + at)
    return from + left.length
  }

  /** Remembers what was named. Call it after the commit. */
  committed(naming: readonly [before: string, after: string]): void {
    this.#lexicon.remember(this.#words, this.#lists, naming)
  }
}

type Listed = readonly [key: string, texts: readonly string[]]

const GIVEN = `unnest($2::text::integer[], $3::text::integer[]) with ordinality as given (start, length, place)`

const FIND_WORDS = `
  select id, place from ${GIVEN}
  join alvarium.word on word = substring($1::bytea from start for length)`

const FIND_LISTS = `
  select id, place from ${GIVEN}
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
