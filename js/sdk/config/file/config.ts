import { describe, expected } from '../../../foundation/base/errors.js'
import { type Logger, safeLogger } from '../../../foundation/base/logger.js'
import { assertNames } from '../../../foundation/base/options/names.js'
import { readAllFaults } from '../../../foundation/base/options/schema.js'
import { utf8In } from '../../../foundation/base/text/text.js'
import { platform } from '../../../foundation/platform/platform.js'
import type { Annotator } from '../../../signing/annotators/annotator.js'
import { classic } from '../../../verifying/classic/classic.js'
import type { ClassicDialect } from '../../../verifying/classic/dialect.js'
import type { SdkOptions } from '../options.js'
import { annotatorsOf, BUILT_IN } from './annotators.js'
import type { AnnotatorTable, StreamTable } from './entries.js'
import { type ConfigKeys, keysOf } from './keys.js'
import { configSchema } from './schema.js'
import { streamOf } from './streams.js'
import { parseConfig, unwrap } from './text.js'

export type { AnnotatorEntry, AnnotatorTable, ConfigContext, StreamTable } from './entries.js'
export type { ConfigKeys } from './keys.js'

/** Values for {@link fromConfig} that a config does not contain. */
export interface FromConfigOptions {
  /** Your own annotators, by kind. */
  readonly annotators?: AnnotatorTable | undefined
  /** Your own streams, by type. */
  readonly streams?: StreamTable | undefined
  /** Keys to use instead of the key files of the config. */
  readonly keys?: ConfigKeys | undefined
  /** Folder for relative paths of key files. Default: the working directory, as in the other SDKs. */
  readonly folder?: string | undefined
  /**
   * Dialect in which messages are published, for consumers of another SDK: see {@link classic}. Default:
   * bundles, which only this SDK reads.
   */
  readonly dialect?: ClassicDialect | undefined
  /** Logger in the form of pino, for the SDK, and for your own annotators and streams. Default: no logs. */
  readonly logger?: Logger | undefined
}

const KEYS = ['signingKey', 'verifyingKey', 'keyId', 'requests']
const NAMES = ['annotators', 'streams', 'keys', 'folder', 'dialect', 'logger']

/** Options for `openSdk` from a config. The types of the annotators' inputs are unknown at compile time. */
export type ConfiguredSdk = SdkOptions<readonly Annotator[]>

/**
 * Returns options for `openSdk` from a config of the Go, Java, Rust or Python SDK: an object, or text in JSON
 * or YAML. The config may be nested under `sdk`, as in some applications. Does not connect the stream.
 *
 * Reads the key files once. After `openSdk`, erase the private key (`signingKey.fill(0)`).
 *
 * @throws AlvariumError `CONFIG_INVALID`, with the path, the expectation and the value of each invalid
 *   field, at most 50; `KEY_INVALID` when a key file that is needed cannot be read
 *
 * @example
 * ```ts
 * import { openSdk } from 'alvarium-sdk'
 * import { fromConfig } from 'alvarium-sdk/config'
 *
 * const options = await fromConfig(text, { annotators: { 'in-range': () => inRange } })
 * await using sdk = await openSdk({ ...options, tag: 'line-4' })
 * ```
 */
export async function fromConfig(
  config: object | string,
  options: FromConfigOptions = {},
): Promise<ConfiguredSdk> {
  assertNames(options, NAMES)
  const { annotators: ownAnnotators = {}, streams = {}, keys = {}, folder, dialect } = options
  const logger = safeLogger(options.logger)
  assertNames(keys, KEYS, 'keys.')
  const { config: members, root } = unwrap(await parseConfig(config))
  const parsed = readAllFaults(
    configSchema(ownAnnotators, streams, keys.signingKey !== undefined),
    members,
    root,
  )
  const { signingKey, ...half } = await keysOf(parsed.signature, keys, folder)
  const context = { verifyingKey: half.verifyingKey, logger }
  const given = { ...half, logger, hash: parsed.hash.type, requests: keys.requests }
  const annotators = await annotatorsOf(parsed.annotators, ownAnnotators, given)
  const stream = await streamOf(parsed.stream, streams, context)
  // Include kinds that the config does not name, because callers pass the same inputs whatever the config names.
  const otherKinds = [...Object.keys(BUILT_IN), ...Object.keys(ownAnnotators)]
  const common = {
    signingKey,
    annotators,
    otherKinds,
    stream,
    layer: parsed.layer,
    hash: parsed.hash.type,
    logger,
  }
  if (dialect === undefined) return common
  return { ...common, codec: classic({ signingKey, dialect }) }
}

/**
 * Reads a config file in Node, at most 65,536 bytes of UTF-8, and returns options as {@link fromConfig} does.
 *
 * @param path - path of the file. Relative paths of key files in it are resolved against `folder`
 * @throws AlvariumError as `fromConfig` does, and `CONFIG_INVALID` if the file cannot be read
 * @throws TypeError if `path` is not a string
 *
 * @example
 * ```ts
 * import { openSdk } from 'alvarium-sdk'
 * import { readConfig } from 'alvarium-sdk/config'
 *
 * await using sdk = await openSdk(await readConfig('config.json'))
 * ```
 */
export async function readConfig(path: string, options: FromConfigOptions = {}): Promise<ConfiguredSdk> {
  if (typeof path !== 'string') throw new TypeError(`path: expected a string, got ${describe(path)}`)
  return fromConfig(await textIn(path), options)
}

async function textIn(path: string): Promise<string> {
  try {
    const bytes = await platform.readFile?.(path)
    if (!bytes) throw new Error('there are no files here: pass what the file says')
    return utf8In(bytes)
  } catch (cause) {
    throw expected('CONFIG_INVALID', 'config', 'the path of a readable file in UTF-8', undefined, cause)
  }
}
