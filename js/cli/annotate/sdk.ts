import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type AnyAnnotator,
  type Codec,
  cbor,
  classic,
  mqtt,
  openSdk,
  pki,
  readKey,
  type Sdk,
  type SdkOptions,
  type StreamProvider,
  source,
  tee,
  toHex,
  tpm,
} from 'alvarium-sdk'
import { readConfig } from 'alvarium-sdk/config'
import { file } from 'alvarium-sdk/file'
import { AlvariumError, conflicts, describe, needs, textOf } from '../../foundation/base/errors.js'
import { connectionOf } from '../broker-options.js'
import { invalid, inWords, onlyWith } from '../fault.js'
import type { Session } from '../session.js'
import { binaryFile } from './binary-file.js'
import type { AnnotateOptions } from './options.js'

/**
 * Opens the SDK that the options or a config describe. Options override the config, except `--key` and
 * `--codec`, which conflict with it.
 */
export async function sdkFor(options: AnnotateOptions, session: Session): Promise<OpenedSdk> {
  const { hash, layer, tag, batch } = options
  const given = options.config === undefined ? await byOptions(options, session) : await byConfig(options)
  session.begin()
  const sdk = await openSdk({
    ...given,
    ...(hash && { hash }),
    ...(layer && { layer }),
    ...(tag !== undefined && { tag }),
    ...(batch !== undefined && { batch: { maxBundles: batch, maxDelayMs: BATCH_DELAY_MS } }),
  })
  if (given.signingKey instanceof Uint8Array) given.signingKey.fill(0)
  return { sdk, needsPayload: given.annotators.some(({ needs }) => needs === 'payload') }
}

/** Milliseconds that a batch waits for more payloads. The default of 10 ms is shorter than opening a small file. */
const BATCH_DELAY_MS = 250

interface OpenedSdk {
  readonly sdk: Sdk
  readonly needsPayload: boolean
}

async function byOptions(options: AnnotateOptions, session: Session): Promise<SdkOptions> {
  const { key, seed = false } = options
  if (key === undefined) {
    throw needs('--key', 'the file of a private key, or --config (alvarium keygen makes a key)')
  }
  const signingKey = await readKey(key, { seed })
  const codec = codecFor(options, signingKey)
  const annotators = await annotatorsFor(options)
  const stream = (await namedStream(options)) ?? toOutput(session)
  return { signingKey, annotators, stream, ...(codec && { codec }) }
}

async function byConfig(options: AnnotateOptions): Promise<SdkOptions> {
  const { config = '', dialect, codec, key } = options
  if (key !== undefined) throw conflicts('--key', '--config, which names the key')
  if (codec !== undefined) throw conflicts('--codec', '--config')
  const configured = await readConfig(config, dialect ? { dialect } : {})
  const stream = await namedStream(options)
  const annotators = options.annotator ? await annotatorsFor(options) : configured.annotators
  return { ...configured, annotators, ...(stream && { stream }) }
}

/** Returns one stream that publishes to all named streams; undefined if none is named. */
async function namedStream(options: AnnotateOptions): Promise<StreamProvider | undefined> {
  const [first, ...others] = await namedStreams(options)
  return first && others.length > 0 ? tee(first, ...others) : first
}

async function namedStreams(options: AnnotateOptions): Promise<StreamProvider[]> {
  const { out, url, topic } = options
  const streams: StreamProvider[] = []
  // Disable the size limit, which would split the messages into files that users do not expect.
  if (out !== undefined)
    streams.push(binaryFile(options) ?? file({ path: out, maxBytes: Number.MAX_SAFE_INTEGER }))
  if (url !== undefined && topic === undefined) throw onlyWith('--url', '--topic')
  if (url !== undefined && topic !== undefined) {
    streams.push(mqtt({ ...(await connectionOf(url, options)), topic, whenFull: 'wait' }))
  }
  return streams
}

/** Returns a stream to standard output, one message per line: JSON, or CBOR in hexadecimal. */
function toOutput({ out }: Session): StreamProvider {
  return {
    publish(message, { contentType }) {
      const isText = contentType === 'application/json'
      return out.write(isText ? Buffer.concat([message, NEWLINE]) : `${toHex(message)}\n`)
    },
  }
}

const NEWLINE = Buffer.from('\n')

/** Returns the codec that the options choose; undefined for the SDK's default codec. */
function codecFor({ codec, dialect }: AnnotateOptions, signingKey: Uint8Array): Codec | undefined {
  if (codec !== undefined && dialect !== undefined) throw conflicts('--codec', '--dialect')
  if (dialect !== undefined) return classic({ signingKey, dialect })
  return codec === 'cbor' ? cbor() : undefined
}

async function annotatorsFor({ annotator = ['src'], pkiKey }: AnnotateOptions): Promise<AnyAnnotator[]> {
  const verifyingKey = pkiKey === undefined ? undefined : await pkiKeyIn(pkiKey)
  return Promise.all(annotator.map((name) => annotatorFor(name, verifyingKey)))
}

async function annotatorFor(name: string, verifyingKey: Uint8Array | undefined): Promise<AnyAnnotator> {
  if (name === 'src') return source()
  if (name === 'tpm') return tpm()
  if (name !== 'pki') return inModule(name)
  if (verifyingKey) return pki({ verifyingKey })
  throw needs('--pki-key', 'the file of a public key for the annotator pki')
}

async function pkiKeyIn(path: string): Promise<Uint8Array> {
  try {
    return await readKey(path)
  } catch (error) {
    throw new AlvariumError('KEY_INVALID', `--pki-key: ${inWords(textOf(error))}`, { cause: error })
  }
}

async function inModule(path: string): Promise<AnyAnnotator> {
  const option = `--annotator ${path}`
  const { default: exported } = await import(pathToFileURL(resolve(path)).href).catch((error) => {
    throw invalid(option, 'a module that can be loaded', textOf(error))
  })
  const annotator: unknown = typeof exported === 'function' ? await exported() : exported
  if (isAnnotator(annotator)) return annotator
  throw invalid(
    option,
    'a default export { kind, isSatisfied }, or a function that returns such an object',
    describe(annotator),
  )
}

function isAnnotator(value: unknown): value is AnyAnnotator {
  const { kind, isSatisfied } = Object(value)
  return typeof kind === 'string' && typeof isSatisfied === 'function'
}
