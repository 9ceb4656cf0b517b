import type { Connection } from 'alvarium-sdk/store'
import type { TestDatabase } from './databases.js'

/** Returns a connection that breaks right after the first leases or checkpoints are committed, or right before. */
export function endingAt(database: TestDatabase, when: string): Connection {
  let isKeeping = false
  return {
    query: async (text: string, params?: unknown[]) => {
      isKeeping ||= text.includes('insert into alvarium.beside')
      const isEnd = isKeeping && text === 'commit'
      if (isEnd && when === 'before') throw new Error('killed')
      const rows = await database.query(text, params)
      if (isEnd) throw new Error('killed')
      return { rows }
    },
  }
}

/** Returns a connection that pauses before it commits the first rows of a table, until the test resumes it. */
export function pausingAtCommit(database: TestDatabase, table: 'beside' | 'leaf') {
  let [isKeeping, isPaused] = [false, false]
  let goOn = () => {}
  const told = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const connection: Connection = {
    query: async (text: string, params?: unknown[]) => {
      isKeeping ||= text.includes(`insert into alvarium.${table}`)
      isPaused = isKeeping && text === 'commit'
      if (isPaused) await told
      return { rows: await database.query(text, params) }
    },
  }
  return { connection, isPaused: () => isPaused, goOn: () => goOn() }
}
