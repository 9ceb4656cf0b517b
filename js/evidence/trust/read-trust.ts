import * as v from 'valibot'
import { AlvariumError } from '../../foundation/base/errors.js'
import { type Logger, safeLogger } from '../../foundation/base/logger.js'
import { integer, oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { ENGINES, type Engine } from '../../foundation/model/payload.js'
import { Keyring } from '../../signing/keys/keyring.js'
import { FOLLOW, openPolicy, Trust } from './open-trust.js'
import type { Policy } from './policy/policy.js'
import { copyPolicy, isPath } from './policy/policy-source.js'
import type { OpenKeys } from './policy/read-policy.js'

/** Settings for reading a trust policy. */
export interface ReadTrustOptions {
  /**
   * True to read the policy again when its file changes (Node only). See `updatefailed` for invalid files.
   * Default: false.
   */
  readonly watch?: boolean | undefined
  /**
   * Time in milliseconds between two checks of a watched file. The SDK reads a new version of the file once two
   * checks in a row have found that version. Default `1_000`.
   */
  readonly watchMs?: number | undefined
  /** Engine that verifies signatures, as in a `Keyring`. `host` works only in Node, Deno and Bun. Default `auto`. */
  readonly engine?: Engine | undefined
  /** Logger with the methods of pino, for updates and errors of listeners. Default: no logger. */
  readonly logger?: Logger | undefined
}

/** Valibot schema of {@link ReadTrustOptions}. The guide's page of limits is generated from it. */
export const schema = strict({
  watch: v.optional(v.boolean('true or false'), false),
  watchMs: integer(1, 86_400_000, 1000),
  engine: v.optional(oneOf(ENGINES), 'auto'),
  logger: v.optional(v.any()),
})

/**
 * Reads a trust policy: an object, its text in JSON or YAML, or the path of a file (in Node). OpenSSH's
 * `allowed_signers` and JSON Web Key Sets are policies, too, and allow every signer everything. A text of one
 * line that does not begin with `{` or `[` is a path. A policy has at most 32 MiB. YAML has at most 1,048,576
 * characters, which is about 4,000 signers, and 1,000 members in an object. JSON has at most 10,000 different
 * names; and at most 10,000 lists and objects, plus one for each 16 characters.
 *
 * One policy applies to a whole message. An update during the verification applies to the next message.
 *
 * @returns the policy, to pass as `keyring` to any function that has that option
 * @throws AlvariumError `CONFIG_INVALID`, with a line for each invalid member, at most 50: its path, the
 * expected and the actual value; also if the file cannot be read, and for `engine` as `Keyring`
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
  const trust = new Trust(await openPolicy(copyPolicy(source), noKeys(engine)), logger)
  if (!isWatched) return trust
  if (typeof source !== 'string' || !isPath(source)) {
    throw new AlvariumError('CONFIG_INVALID', 'readTrust.watch: expected the path of a file, got a policy')
  }
  await trust[FOLLOW](source, watchMs)
  return trust
}

/** Returns an empty keyring. The keys of the policy, and of later policies, verify with the engine of this keyring. */
function noKeys(engine: Engine): OpenKeys {
  return { keyring: new Keyring([], { engine }), ids: new Map() }
}
