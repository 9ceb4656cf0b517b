import { AlvariumError, textOf } from '../base/errors.js'
import type { OutboxStore } from './store.js'

/** The store, with whatever it rejects with in our words. */
export function checked(store: OutboxStore): OutboxStore {
  const checking =
    <Args extends unknown[], Result>(what: string, method: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      try {
        return await method.apply(store, args)
      } catch (cause) {
        throw cause instanceof AlvariumError ? cause : storeFailed(what, cause)
      }
    }
  return {
    open: checking('store.open: expected to open', store.open),
    append: checking('store.append: expected to store', store.append),
    read: checking('store.read: expected what was stored', store.read),
    deleteThrough: checking('store.deleteThrough: expected to forget', store.deleteThrough),
    close: checking('store.close: expected to close', store.close),
  }
}

function storeFailed(expected: string, cause: unknown): AlvariumError {
  return new AlvariumError('STORE_FAILED', `${expected}, got: ${textOf(cause)}`, { cause })
}
