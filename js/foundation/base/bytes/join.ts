export interface JoinedBytes {
  readonly bytes: Uint8Array
  readonly lengths: Uint32Array
}

/** Concatenates byte strings. Returns a single byte string without copying it. */
export function join(parts: readonly Uint8Array[]): JoinedBytes {
  const [only] = parts
  if (only && parts.length === 1) return { bytes: only, lengths: Uint32Array.of(only.length) }
  const lengths = Uint32Array.from(parts, ({ length }) => length)
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return { bytes, lengths }
}

/** Writes the lengths of all messages (32 bits, little-endian), then the messages: see crate/src/crossing.rs. */
export function joinMessages(messages: readonly Uint8Array[]): Uint8Array {
  const lengths = new Uint8Array(4 * messages.length)
  const view = new DataView(lengths.buffer)
  for (const [at, { length }] of messages.entries()) view.setUint32(4 * at, length, true)
  return join([lengths, ...messages]).bytes
}

/** Splits the output of {@link joinMessages} or of the core into messages. Each message is a copy. */
export function messagesOf(joined: Uint8Array): Uint8Array[] {
  const lengths = new DataView(joined.buffer, joined.byteOffset)
  let [count, bytes] = [0, 0]
  while (4 * count + bytes < joined.length) bytes += lengths.getUint32(4 * count++, true)
  let end = 4 * count
  return Array.from({ length: count }, (_, at) => {
    const start = end
    end += lengths.getUint32(4 * at, true)
    return joined.slice(start, end)
  })
}

export interface GroupLimits {
  readonly count?: number
  readonly bytes: number
}

/**
 * Counts how many items, from the index `from` on, fit into one group. Counts at least one item if there is one,
 * because a single item may exceed the limit of bytes.
 *
 * @param lengthOf - returns the size of an item in bytes
 */
export function countFitting<T>(
  items: readonly T[],
  { count = Number.POSITIVE_INFINITY, bytes }: GroupLimits,
  lengthOf: (item: T) => number,
  from = 0,
): number {
  const maxCount = Math.min(count, items.length - from)
  let left = bytes
  for (let fit = 0; fit < maxCount; fit++) {
    left -= lengthOf(items[from + fit] as T)
    if (left < 0) return Math.max(fit, 1)
  }
  return maxCount
}

export function groupsOf(parts: readonly Uint8Array[], limits: GroupLimits): Uint8Array[][] {
  const groups: Uint8Array[][] = []
  for (let from = 0; from < parts.length; ) {
    const end = from + countFitting(parts, limits, ({ length }) => length, from)
    groups.push(parts.slice(from, end))
    from = end
  }
  return groups
}

/** Collector of items in groups, in the order of `add`. The item that reaches a limit ends its group. */
export class GroupCollector<T> {
  readonly #limits: Required<GroupLimits>
  #group: T[] = []
  #bytes = 0

  constructor(limits: Required<GroupLimits>) {
    this.#limits = limits
  }

  /** Adds an item, and returns the group if the item completes it. @param length - length of the item in bytes */
  add(item: T, length: number): T[] | undefined {
    this.#group.push(item)
    this.#bytes += length
    const { count, bytes } = this.#limits
    return this.#group.length < count && this.#bytes < bytes ? undefined : this.take()
  }

  /** Returns the items since the last group, possibly none, and begins a new group. */
  take(): T[] {
    const group = this.#group
    this.#group = []
    this.#bytes = 0
    return group
  }
}

/** Copies bytes. It does not call `slice()`, because a slice of a `Buffer` shares the buffer's memory. */
export function copyBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
