// Global `alvarium` of a page with a script tag: `alvarium-sdk` with the pool and the outbox, which are
// separate entries otherwise.

export * from '../index.js'
export { pool } from '../sdk/pool/pool.js'
export { outbox } from '../transport/streams/outbox/outbox.js'
