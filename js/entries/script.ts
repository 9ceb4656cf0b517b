// The global `alvarium` of a page with a script tag: `alvarium-sdk`, and the pool and the outbox, which have entries of their own elsewhere.

export * from '../index.js'
export { pool } from '../sdk/pool/pool.js'
export { outbox } from '../transport/streams/outbox/outbox.js'
