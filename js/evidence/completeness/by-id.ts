import { fourBits } from '../../foundation/base/bytes/hex.js'

/**
 * Map with hexadecimal ids as keys, split into 256 maps by the first two digits. A single `Map` copies all
 * its entries each time it doubles, which blocks the event loop for 45 ms with a million entries.
 */
export class ById<Value> {
  readonly #parts: (Map<string, Value> | undefined)[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  get(id: string): Value | undefined {
    return this.#parts[partOf(id)]?.get(id)
  }

  has(id: string): boolean {
    return this.#parts[partOf(id)]?.has(id) ?? false
  }

  set(id: string, value: Value): void {
    const at = partOf(id)
    const part = this.#parts[at] ?? new Map<string, Value>()
    this.#parts[at] = part
    this.#size -= part.size
    part.set(id, value)
    this.#size += part.size
  }

  *[Symbol.iterator](): Generator<[id: string, value: Value], void> {
    for (const part of this.#parts) if (part) yield* part
  }
}

function partOf(id: string): number {
  return (fourBits(id.charCodeAt(0)) << 4) | fourBits(id.charCodeAt(1))
}
