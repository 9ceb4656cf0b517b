import * as v from 'valibot'
import { AlvariumError } from '../base/errors.js'
import { type Logger, safeLogger } from '../base/logger.js'
import { integer, oneOf, readOptions, strict } from '../base/options/schema.js'
import { Keyring } from '../keys/keyring.js'
import { ENGINES, type Engine } from '../model/payload.js'
import { copiedPolicy } from './copied-policy.js'
import { FOLLOW, openPolicy, Trust } from './opened.js'
import type { Policy } from './policy.js'
import type { OpenKeys } from './policy-keys.js'
import { isPath } from './source.js'

/** Options of `readTrust`. */
export interface ReadTrustOptions {
  /**
   * Reads the policy again when its file changes, in Node. A file that is not a valid policy changes nothing: see `updatefailed`.
   * Default: no.
   */
  readonly watch?: boolean | undefined
  /** Milliseconds between two looks at a watched file. It is read when it is the same at two of them. Default `1_000`. */
  readonly watchMs?: number | undefined
  /** The place where signatures are verified, as in a `Keyring`: `host` in Node, Deno and Bun alone. Default `auto`. */
  readonly engine?: Engine | undefined
  /** A pino-shaped logger, for updates and listeners' errors. Default: silence. */
  readonly logger?: Logger | undefined
}

/** The page of limits shows it. */
export const schema = strict({
  watch: v.optional(v.boolean('true or false'), false),
  watchMs: integer(1, 86_400_000, 1000),
  engine: v.optional(oneOf(ENGINES), 'auto'),
  logger: v.optional(v.any()),
})

/**
 * Reads a trust policy: an object, its text in JSON or YAML, or the path of a file (in Node). OpenSSH's `allowed_signers` and JSON
 * Web Key Sets are policies too, in which everybody may say everything. A text of one line that does not begin with `{` is a path.
 * It may have 32 MiB; YAML 1,048,576 characters, some 4,000 signers, and 1,000 members in an object; JSON 10,000
 * different names, and one list or object for each 16 characters beyond 10,000.
 *
 * One policy holds for the whole of a message: an update meanwhile holds for the next one.
 *
 * @returns what to give wherever a `keyring` is taken
 * @throws AlvariumError `CONFIG_INVALID`, with a line for each member that cannot work: its path, what was expected and what came;
 * also when the file cannot be read, and for `engine` as `Keyring`
 *
 * @example
 * ```ts
 * import { readTrust } from 'alvarium-sdk/trust'
 *
 * const trust = await readTrust({
 *   signers: [{ name: 'gateway-1', keys: [keyText], kinds: ['src', 'tls', 'pki*'], until: '2100-01-01T00:00:00Z' }],
 * })
 * const bundle = await verifyMessage(message, { keyring: trust })
 * console.log(bundle.signedBy?.name) // gateway-1
 * ```
 *
 * @example A file that is followed
 * ```ts
 * const trust = await readTrust('trust.json', { watch: true })
 * trust.addEventListener('updated', ({ changed }) => console.info('trust.json:', changed))
 * for await (const bundle of subscribe({ url, topic, keyring: trust, durable: false })) console.log(bundle.signedBy?.name)
 * ```
 */
export async function readTrust(source: Policy | string, options: ReadTrustOptions = {}): Promise<Trust> {
  const { watch: isWatched, watchMs, engine } = readOptions(schema, options, 'readTrust')
  const logger = safeLogger(options.logger)
  const trust = new Trust(await openPolicy(copiedPolicy(source), noKeys(engine)), logger)
  if (!isWatched) return trust
  if (typeof source !== 'string' || !isPath(source)) {
    throw new AlvariumError(
      'CONFIG_INVALID',
      'readTrust.watch: expected the path of a file, got a policy itself',
    )
  }
  await trust[FOLLOW](source, watchMs)
  return trust
}

/** Returns an empty keyring. The keys of a policy, and of each that follows it, verify by its engine. */
function noKeys(engine: Engine): OpenKeys {
  return { keyring: new Keyring([], { engine }), ids: new Map() }
}
