import * as v from 'valibot'
import { integer, oneOf, strict } from '../../foundation/base/options/schema.js'
import { ENGINES, type Engine } from '../../foundation/model/payload.js'

/** Options of a `Keyring`. */
export interface KeyringOptions {
  /**
   * Limit in bytes of the memory for tables of keys that are seen often, about 53,000 each. With its table, a key
   * verifies in a third of the time. The least recently used tables are dropped. Default 8 MiB.
   */
  readonly maxTableBytes?: number | undefined
  /**
   * Place of the verification. `host`: the platform's own Ed25519 and P-256 verify all signatures, in Node, Deno and
   * Bun. `auto` and `wasm`: the core does. The verdicts are the same. Default `auto`.
   */
  readonly engine?: Engine | undefined
}

/** Options of a `Keyring`, exported for the guide's page of limits. */
export const schema = strict({
  maxTableBytes: integer(0, 1024 * 1024 * 1024, 8 * 1024 * 1024),
  engine: v.optional(oneOf(ENGINES), 'auto'),
})
