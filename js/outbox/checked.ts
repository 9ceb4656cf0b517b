import { AlvariumError, textOf } from '../base/errors.js'
import type { OutboxStore } from './store.js'

/** The store, with whatever it rejects with in our words. */
export function checked(store: OutboxStore): OutboxStore {
  const checking =
    (self: unknown) =>
    <Args extends unknown[], Result>(what: string, method: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      try {
        return await method.apply(self, args)
      } catch (cause) {
        throw cause instanceof AlvariumError ? cause : storeFailed(what, cause)
      }
    }
  const { numbers, mark, aside } = store
  const [own, beside] = [checking(store), checking(aside)]
  return {
    open: own('store.open: expected to open', store.open),
    append: own('store.append: expected to store', store.append),
    read: own('store.read: expected what was stored', store.read),
    deleteThrough: own('store.deleteThrough: expected to forget', store.deleteThrough),
    close: own('store.close: expected to close', store.close),
    ...(numbers && { numbers: own('store.numbers: expected all numbers', numbers) }),
    ...(mark && { mark: own('store.mark: expected to keep the mark', mark) }),
    ...(aside && {
      aside: {
        numbers: beside('store.aside.numbers: expected all numbers', aside.numbers),
        read: beside('store.aside.read: expected what was set aside', aside.read),
        put: beside('store.aside.put: expected to store', aside.put),
        delete: beside('store.aside.delete: expected to forget', aside.delete),
      },
    }),
  }
}

function storeFailed(expected: string, cause: unknown): AlvariumError {
  return new AlvariumError('STORE_FAILED', `${expected}, got: ${textOf(cause)}`, { cause })
}
