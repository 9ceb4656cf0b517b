import * as v from 'valibot'
import { integer, oneOf, strict } from '../../foundation/base/options/schema.js'
import { ENGINES, type Engine } from '../../foundation/model/payload.js'

/** Options of a `Keyring`: memory for the tables of its keys, and the code that verifies signatures. */
export interface KeyringOptions {
  /**
   * Maximum memory for precomputed tables of frequently used keys, in bytes: about 53,000 for each key. With its table,
   * a key verifies three times as fast. The least recently used tables are dropped. Default 8 MiB.
   */
  readonly maxTableBytes?: number | undefined
  /**
   * The code that verifies signatures. `host`: the platform's own Ed25519 and P-256, in Node, Deno and Bun. `auto` and
   * `wasm`: the core. The verdicts are the same with each engine. Default `auto`.
   */
  readonly engine?: Engine | undefined
}

/** Valibot schema of a keyring's options, exported for the guide's page of limits. */
export const schema = strict({
  maxTableBytes: integer(0, 1024 * 1024 * 1024, 8 * 1024 * 1024),
  engine: v.optional(oneOf(ENGINES), 'auto'),
})
