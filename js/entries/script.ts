// What a page has as `alvarium` from a script tag: `alvarium-sdk`, with what stands in entries of its own elsewhere.

export { pool } from '../pool/pool.js'
export { outbox } from '../streams/outbox/outbox.js'
export * from './default.js'

// Its pools start workers from its own text, which begins with this: see js/build/package/pages.mjs.
if (Symbol.for('alvarium-sdk.serving') in globalThis) void import('../pool/serving.js')
