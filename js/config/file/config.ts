import type { Annotator } from '../../annotators/annotator.js'
import { describe, expected } from '../../base/errors.js'
import { type Logger, safeLogger } from '../../base/logger.js'
import { assertNames } from '../../base/options/names.js'
import { readWhole } from '../../base/options/schema.js'
import { utf8In } from '../../base/text/text.js'
import { classic } from '../../classic/classic.js'
import type { ClassicDialect } from '../../classic/dialect.js'
import { platform } from '../../platform/platform.js'
import type { SdkOptions } from '../options.js'
import { annotatorsOf, BUILT_IN } from './annotators.js'
import type { AnnotatorTable, StreamTable } from './entries.js'
import { type ConfigKeys, keysOf } from './keys.js'
import { configSchema } from './schema.js'
import { streamOf } from './streams.js'
import { unwrapped, written } from './text.js'

export type { AnnotatorEntry, AnnotatorTable, ConfigContext, StreamTable } from './entries.js'
export type { ConfigKeys } from './keys.js'

/** What a config does not say. */
export interface FromConfigOptions {
  /** Annotators of your own, by kind. */
  readonly annotators?: AnnotatorTable | undefined
  /** Streams of your own, by type. */
  readonly streams?: StreamTable | undefined
  /** Keys to use instead of the config's files. */
  readonly keys?: ConfigKeys | undefined
  /** Where relative paths of key files begin. Default: the folder that the process was started in, as in the other SDKs. */
  readonly folder?: string | undefined
  /**
   * Publishes what the SDK of that language would have published, for its consumers. Default: bundles, which only this SDK
   * reads. See {@link classic}.
   */
  readonly dialect?: ClassicDialect | undefined
  /** A pino-shaped logger, for the SDK and for those who make annotators and streams. Default: silence. */
  readonly logger?: Logger | undefined
}

/** What a pair has that `generateKey()` makes, and `requests`. */
const KEYS = ['signingKey', 'verifyingKey', 'keyId', 'requests']
const NAMES = ['annotators', 'streams', 'keys', 'folder', 'dialect', 'logger']

/** What `openSdk` takes. Annotators take what calls give them: their types are not known before the config is read. */
export type ConfiguredSdk = SdkOptions<readonly Annotator[]>

/**
 * Returns options for `openSdk` from a config of the Go, Java, Rust or Python SDK: its object, or the text of its JSON or
 * YAML, also with all of it under `sdk` as some applications have it. Nothing is connected.
 *
 * Key files are read here, once. The keys are yours to wipe when the SDK has them (`signingKey.fill(0)`).
 *
 * @throws AlvariumError `CONFIG_INVALID`, with a line for each member that cannot work: its path, what was expected and what
 * came; `KEY_INVALID` for a key file that cannot be read
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
  const { annotators: own = {}, streams = {}, keys = {}, folder, dialect } = options
  const logger = safeLogger(options.logger)
  assertNames(keys, KEYS, 'keys.')
  const { config: members, root } = unwrapped(await written(config))
  const said = readWhole(configSchema(own, streams, keys.signingKey !== undefined), members, root)
  const { signingKey, ...half } = await keysOf(said.signature, keys, folder)
  const context = { verifyingKey: half.verifyingKey, logger }
  const given = { ...half, logger, hash: said.hash.type, requests: keys.requests }
  const annotators = await annotatorsOf(said.annotators, own, given)
  const stream = await streamOf(said.stream, streams, context)
  // What is left out today is an entry tomorrow: whoever calls gives inputs for all that they know.
  const otherKinds = [...Object.keys(BUILT_IN), ...Object.keys(own)]
  const common = {
    signingKey,
    annotators,
    otherKinds,
    stream,
    layer: said.layer,
    hash: said.hash.type,
    logger,
  }
  if (dialect === undefined) return common
  return { ...common, codec: classic({ signingKey, dialect }) }
}

/**
 * {@link fromConfig} of a file, in Node: at most 65,536 bytes of UTF-8.
 *
 * @param path - of the file; relative paths inside of it begin where `folder` says, and not at the file
 * @throws AlvariumError as `fromConfig` does, and `CONFIG_INVALID` when the file cannot be read
 * @throws TypeError when `path` is not a string
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
