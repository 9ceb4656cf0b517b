// What a page has as `alvarium` from a script tag: `alvarium-sdk`, with what stands in entries of its own elsewhere.

export { outbox } from '../outbox/outbox.js'
export { pool } from '../pool/pool.js'
export * from './default.js'
