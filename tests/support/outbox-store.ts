import type { OutboxStore, StoredRecord } from 'alvarium-sdk/outbox'

/** Returns a store in memory that a test can read and alter. */
export function memoryStore() {
  const records = new Map<number, Uint8Array>()
  const aside = new Map<number, Uint8Array>()
  let marked: Uint8Array | undefined
  const inOrder = () => [...records.keys()].sort((one, other) => one - other)
  const store = {
    records,
    open: async () => {
      const numbers = inOrder()
      return { first: numbers[0], last: numbers.at(-1), mark: marked }
    },
    append: async (first: number, added: readonly Uint8Array[]) => {
      for (const [at, record] of added.entries()) records.set(first + at, record)
    },
    read: async (from: number, most: number): Promise<StoredRecord[]> => {
      const numbers = inOrder().filter((number) => number >= from)
      return numbers.slice(0, most).map((number) => ({ number, bytes: records.get(number) as Uint8Array }))
    },
    deleteThrough: async (number: number) => {
      for (const each of inOrder()) if (each <= number) records.delete(each)
    },
    close: async () => {},
    mark: async (bytes: Uint8Array) => {
      marked = bytes
    },
    numbers: async () => inOrder(),
    setAside: {
      numbers: async () => [...aside.keys()],
      read: async (number: number) => aside.get(number),
      put: async (number: number, record: Uint8Array) => void aside.set(number, record),
      delete: async (number: number) => void aside.delete(number),
    },
  }
  return store satisfies OutboxStore
}
