import { openSdk, readKey, type Sdk, type SdkOptions } from 'alvarium-sdk'
import { readConfig } from 'alvarium-sdk/config'
import { invalid } from '../fault.js'
import type { Session } from '../session.js'
import { annotatorsFor } from './annotators.js'
import type { AnnotateOptions } from './options.js'
import { codecFor, namedStreams, streamFor } from './streams.js'

/**
 * An SDK as it was asked for: by options alone, or by a config and what options say otherwise.
 *
 * @throws AlvariumError as `openSdk` and `readConfig` do, and `CONFIG_INVALID` naming the option
 */
export async function sdkFor(options: AnnotateOptions, session: Session): Promise<Sdk> {
  const { hash, layer, tag, batch } = options
  const given = options.config === undefined ? await byOptions(options, session) : await byConfig(options)
  session.begin()
  const sdk = await openSdk({
    ...given,
    ...(hash && { hash }),
    ...(layer && { layer }),
    ...(tag !== undefined && { tag }),
    ...(batch !== undefined && { batch: { maxBundles: batch } }),
  })
  if (given.signingKey instanceof Uint8Array) given.signingKey.fill(0)
  return sdk
}

async function byOptions(options: AnnotateOptions, session: Session): Promise<SdkOptions> {
  const { key, seed = false } = options
  if (key === undefined) {
    throw invalid('--key', 'the file of a private key, or --config', 'neither (alvarium keygen makes one)')
  }
  const signingKey = await readKey(key, { seed })
  const codec = codecFor(options, signingKey)
  const annotators = await annotatorsFor(options)
  return { signingKey, annotators, stream: await streamFor(options, session), ...(codec && { codec }) }
}

/** What else was asked for besides the config stands in place of what it says. */
async function byConfig(options: AnnotateOptions): Promise<SdkOptions> {
  const { config = '', dialect, codec, key } = options
  if (key !== undefined) throw invalid('--key', 'nothing beside --config, which names one', 'a file')
  if (codec !== undefined) throw invalid('--codec', 'nothing beside --config', codec)
  const configured = await readConfig(config, dialect ? { dialect } : {})
  const [stream] = await namedStreams(options)
  const annotators = options.annotator ? await annotatorsFor(options) : configured.annotators
  return { ...configured, annotators, ...(stream && { stream }) }
}
