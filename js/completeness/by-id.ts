import { fourBits } from '../base/bytes/hex.js'

/**
 * Values by ids of hexadecimal digits. A `Map` copies all that it has each time that it doubles: of a million, for 45 ms in which nothing else
 * runs. Here each of 256 has the ids that begin alike.
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

/** By the first two digits. */
function partOf(id: string): number {
  return (fourBits(id.charCodeAt(0)) << 4) | fourBits(id.charCodeAt(1))
}
