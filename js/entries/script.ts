// Contents of the global `alvarium`, which a script tag defines: `alvarium-sdk`, the pool and the outbox.

export * from '../index.js'
export { pool } from '../sdk/pool/pool.js'
export { outbox } from '../transport/streams/outbox/outbox.js'
