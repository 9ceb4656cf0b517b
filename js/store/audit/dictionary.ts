import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { bytesIn, numberIn, numbers, numbersIn } from '../rows/columns.js'
import { sha256 } from '../rows/payload-name.js'
import { listKey, type NamedColumns } from '../rows/string-table.js'
import { type Findings, type Place, placeIn } from './findings.js'
import { textOf } from './names.js'
import type { List, References } from './references.js'

interface StoredList extends List {
  /** Ids of this list's texts in the table `word`. Undefined unless the column is a plain array of numbers. */
  readonly words: readonly number[] | undefined
}

/** Parses PostgreSQL's text of an array of numbers, such as `{1,2}`. Returns undefined for any other text. */
function wordsIn(array: string): number[] | undefined {
  return /^\{[\d,]*\}$/.test(array) ? (array.match(/\d+/g)?.map(Number) ?? []) : undefined
}

/** Rows of the tables `word` and `list` to which a page of bundles refers. They may have been altered. */
export class Dictionary {
  readonly #texts: ReadonlyMap<number, string>
  readonly #lists: ReadonlyMap<number, StoredList>
  readonly #digests = new Map<string, Uint8Array>()

  private constructor(texts: ReadonlyMap<number, string>, lists: ReadonlyMap<number, StoredList>) {
    this.#texts = texts
    this.#lists = lists
  }

  static async of(session: Session, rows: readonly Row[], columns: NamedColumns): Promise<Dictionary> {
    const found = await session.query(LISTS, [numbers(numbersIn(rows, columns.lists))])
    const lists = found.map((row) => {
      return { id: numberIn(row, 'id'), digest: bytesIn(row, 'digest'), words: wordsIn(String(row['words'])) }
    })
    const words = new Set([...numbersIn(rows, columns.words), ...lists.flatMap((list) => list.words ?? [])])
    const wordRows = await session.query(WORDS, [numbers([...words])])
    const texts = new Map(wordRows.map((row) => [numberIn(row, 'id'), textOf(bytesIn(row, 'word'))]))
    const listed = lists.map(({ id, ...list }) => {
      return [id, { ...list, texts: list.words?.map((word) => texts.get(word)) ?? [] }] as const
    })
    return new Dictionary(texts, new Map(listed))
  }

  text(word: number): string | undefined {
    return this.#texts.get(word)
  }

  /** Compares a row of `list` with the expected texts: first its digest, then each row of `word` that it refers to. */
  compareList(
    { references, findings }: { references: References; findings: Findings },
    from: Place,
    id: number,
    texts: readonly string[],
  ): void {
    const list = this.#lists.get(id)
    if (!references.list(from, id, { texts, digest: this.#digestOf(texts) }, list) || !list) return
    const place = placeIn('list', id, 'words')
    if (list.words?.length !== texts.length) references.altered(place, texts, list.texts, findings)
    else {
      for (const [at, word] of list.words.entries())
        references.word(place, word, texts[at] as string, list.texts[at])
    }
  }

  #digestOf(texts: readonly string[]): Uint8Array {
    const key = listKey(texts)
    const digest = this.#digests.get(key) ?? sha256(new TextEncoder().encode(key))
    this.#digests.set(key, digest)
    return digest
  }
}

const LISTS =
  'select id, digest, words::text as words from unnest($1::text::integer[]) as given (id) join alvarium.list using (id)'
const WORDS = 'select id, word from unnest($1::text::integer[]) as given (id) join alvarium.word using (id)'
