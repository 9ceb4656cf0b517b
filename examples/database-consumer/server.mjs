import { Child } from '../shared/child.mjs'

/**
 * Starts PostgreSQL in a separate process, which is killed instead of closed, because PGlite may fail if it
 * is closed while a connection ends.
 *
 * @returns {Promise<{ url: string, close: () => Promise<unknown> }>}
 */
export async function startPostgres() {
  const server = new Child(new URL('pglite.mjs', import.meta.url), {})
  const url = await server.says('postgres://')
  return { url, close: () => server.stop() }
}
