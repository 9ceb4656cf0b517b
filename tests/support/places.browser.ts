import { onTestFinished } from 'vitest'

/** Where an outbox can keep its messages: a database that is gone when the test is over. */
export function newPlace(): string {
  const name = crypto.randomUUID()
  onTestFinished(() => void indexedDB.deleteDatabase(name))
  return name
}
