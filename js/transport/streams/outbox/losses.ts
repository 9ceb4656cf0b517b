import { type AlvariumError, expected } from '../../../foundation/base/errors.js'
import type { Aside } from './aside.js'
import type { Damage } from './events.js'
import type { Ledger } from './ledger.js'
import { countOf, type Range } from './mark.js'
import { readRecord } from './record.js'
import type { OutboxStore } from './store.js'

/** Counts lost messages, and reports each of them once. */
export class Losses {
  readonly #store: OutboxStore
  readonly #ledger: Ledger
  readonly #tell: (damage: Damage) => void
  #count = 0

  constructor(store: OutboxStore, ledger: Ledger, tell: (damage: Damage) => void) {
    this.#store = store
    this.#ledger = ledger
    this.#tell = tell
  }

  get count(): number {
    return this.#count
  }

  /** Reports messages that were missing when the store was opened, and messages set aside earlier that are gone. */
  async atStart(missing: readonly Range[], asideBefore: number, aside: Aside): Promise<void> {
    const gone = missing.flatMap((range) => this.#ledger.lose(range))
    if (gone.length > 0) await this.#missing(gone)
    const count = asideBefore - aside.count
    if (count <= 0 && aside.damaged.length === 0) return
    const numbers = aside.damaged.map((number): Range => [number, number])
    const [before, got] = [`${asideBefore} messages that are set aside`, `${aside.count} that can be read`]
    const error = expected('STORE_DAMAGED', 'store', before, got)
    this.#add({ count: Math.max(count, numbers.length), numbers, error })
    await aside.clear()
  }

  /** Reports messages that turned out to be lost when they were to be sent. */
  found(range: Range, error: AlvariumError): void {
    const numbers = this.#ledger.lose(range)
    if (numbers.length > 0) this.#add({ count: countOf(numbers), numbers, error })
  }

  async #missing(gone: readonly Range[]): Promise<void> {
    const count = countOf(gone)
    const [[first] = [0], [, last] = [0, 0]] = [gone[0], gone.at(-1)]
    const those = `messages ${this.#ledger.settled + 1} to ${this.#ledger.last}`
    const error = expected('STORE_DAMAGED', 'store', those, `all but ${count}`)
    const [storedAfter, storedBefore] = [await this.#storedAt(first - 1), await this.#storedAt(last + 1)]
    this.#add({ count, numbers: gone, storedAfter, storedBefore, error })
  }

  async #storedAt(number: number): Promise<number | undefined> {
    try {
      const [record] = await this.#store.read(number, 1)
      return record?.number === number ? readRecord(number, record.bytes).storedAt : undefined
    } catch {
      return undefined
    }
  }

  #add(damage: Damage): void {
    this.#count += damage.count
    this.#tell(damage)
  }
}
