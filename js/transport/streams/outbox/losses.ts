import { type AlvariumError, expected } from '../../../foundation/base/errors.js'
import type { Damage } from './events.js'
import type { Ledger } from './ledger.js'
import { countNumbers, type Range } from './mark.js'
import { readRecord } from './record.js'
import type { SetAsideList } from './set-aside.js'
import type { OutboxStore } from './store.js'

/** Counter of lost messages, which reports each lost message once. */
export class Losses {
  readonly #store: OutboxStore
  readonly #ledger: Ledger
  readonly #onDamage: (damage: Damage) => void
  #count = 0

  constructor(store: OutboxStore, ledger: Ledger, tell: (damage: Damage) => void) {
    this.#store = store
    this.#ledger = ledger
    this.#onDamage = tell
  }

  get count(): number {
    return this.#count
  }

  /** Reports messages that are missing when the outbox opens, including messages that were set aside. */
  async reportAtStart(
    missing: readonly Range[],
    countBefore: number,
    setAsideList: SetAsideList,
  ): Promise<void> {
    const lost = missing.flatMap((range) => this.#ledger.recordLoss(range))
    if (lost.length > 0) await this.#reportMissing(lost)
    const count = countBefore - setAsideList.count
    if (count <= 0 && setAsideList.damaged.length === 0) return
    const numbers = setAsideList.damaged.map((number): Range => [number, number])
    const [before, got] = [
      `${countBefore} messages that are set aside`,
      `${setAsideList.count} that can be read`,
    ]
    const error = expected('STORE_DAMAGED', 'store', before, got)
    this.#addDamage({ count: Math.max(count, numbers.length), numbers, error })
    await setAsideList.deleteDamaged()
  }

  /** Reports messages that were found to be lost when they were to be sent. */
  report(range: Range, error: AlvariumError): void {
    const numbers = this.#ledger.recordLoss(range)
    if (numbers.length > 0) this.#addDamage({ count: countNumbers(numbers), numbers, error })
  }

  async #reportMissing(lost: readonly Range[]): Promise<void> {
    const count = countNumbers(lost)
    const [[first] = [0], [, last] = [0, 0]] = [lost[0], lost.at(-1)]
    const those = `messages ${this.#ledger.settledThrough + 1} to ${this.#ledger.last}`
    const error = expected('STORE_DAMAGED', 'store', those, `all but ${count}`)
    const [storedAfter, storedBefore] = [await this.#storedAt(first - 1), await this.#storedAt(last + 1)]
    this.#addDamage({ count, numbers: lost, storedAfter, storedBefore, error })
  }

  async #storedAt(number: number): Promise<number | undefined> {
    try {
      const [record] = await this.#store.read(number, 1)
      return record?.number === number ? readRecord(number, record.bytes).storedAt : undefined
    } catch {
      return undefined
    }
  }

  #addDamage(damage: Damage): void {
    this.#count += damage.count
    this.#onDamage(damage)
  }
}
