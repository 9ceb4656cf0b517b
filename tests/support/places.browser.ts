import { onTestFinished } from 'vitest'

/** Returns a place for an outbox: a database that is deleted when the test is over. */
export function newPlace(): string {
  const name = crypto.randomUUID()
  onTestFinished(() => void indexedDB.deleteDatabase(name))
  return name
}
