import { Child } from '../shared/child.mjs'

/**
 * Starts PostgreSQL in a separate process. The process ends without closing PGlite, because
 * closing PGlite may fail while a connection ends.
 *
 * @returns {Promise<{ url: string, close: () => Promise<unknown> }>}
 */
export async function startPostgres() {
  const server = new Child(new URL('pglite.mjs', import.meta.url), {})
  const url = await server.says('postgres://')
  return { url, close: () => server.stop() }
}
