import { type Codec, cbor, classic, mqtt, type StreamProvider, tee, toHex } from 'alvarium-sdk'
import { file } from 'alvarium-sdk/file'
import { connectionOf } from '../broker-options.js'
import { invalid } from '../fault.js'
import type { Session } from '../session.js'
import type { AnnotateOptions } from './options.js'

/**
 * Where messages go: all places that were named, or standard output.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 */
export async function streamFor(options: AnnotateOptions, session: Session): Promise<StreamProvider> {
  const streams = await namedStreams(options)
  const [first = toOutput(session), ...others] = streams
  return others.length > 0 ? tee(first, ...others) : first
}

/** None, when nothing was named. */
export async function namedStreams(options: AnnotateOptions): Promise<StreamProvider[]> {
  const { out, url, topic } = options
  const streams: StreamProvider[] = []
  // A file that grows is not what asks for another one: nobody would look for it.
  if (out !== undefined) streams.push(file({ path: out, maxBytes: Number.MAX_SAFE_INTEGER }))
  if (url !== undefined && topic === undefined) throw invalid('--topic', 'one, with --url', 'none')
  if (url !== undefined && topic !== undefined) {
    streams.push(mqtt({ ...(await connectionOf(url, options)), topic, whenFull: 'wait' }))
  }
  return streams
}

/** A message a line; CBOR, which has no lines, in hexadecimal. */
function toOutput({ out }: Session): StreamProvider {
  return {
    publish(message, { contentType }) {
      const isText = contentType === 'application/json'
      return out.write(isText ? Buffer.concat([message, NEWLINE]) : `${toHex(message)}\n`)
    },
  }
}

const NEWLINE = Buffer.from('\n')

/** Undefined, when the default will do. */
export function codecFor({ codec, dialect }: AnnotateOptions, signingKey: Uint8Array): Codec | undefined {
  if (codec !== undefined && dialect !== undefined)
    throw invalid('--codec', 'nothing beside --dialect', codec)
  if (dialect !== undefined) return classic({ signingKey, dialect })
  return codec === 'cbor' ? cbor() : undefined
}
