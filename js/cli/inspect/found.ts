import { AlvariumError, identityBytes } from 'alvarium-sdk/verify'
import { join } from '../../foundation/base/bytes/join.js'
import { malformed } from '../../foundation/base/errors.js'
import { quote } from '../../foundation/base/text/text.js'
import { readIfClassic } from '../../verifying/classic/read-message.js'
import { peek } from '../input/peek.js'
import { type InputSource, sourceOf } from '../input/source.js'
import { NoMessage } from '../messages/found.js'
import { messageOfSource } from '../messages/read.js'
import type { Input } from '../session.js'
import { inspectedControl } from './control.js'
import { type Inspection, inspectBundles, inspectClassic } from './inspection.js'

const KNOWN_FORMS =
  'a bundle, a batch, a set, a proof, an update, a lease, a checkpoint, a message of another SDK or an evidence pack'

/** Describes the message or evidence pack in a source. */
export async function inspectSource(argument: string, input: Input): Promise<Inspection> {
  const source = sourceOf(argument, input)
  const { head, bytes } = await peek(source.bytes(), (_, length) => length >= ZIP.length)
  const start = join(head).bytes
  if (ZIP.every((byte, at) => start[at] === byte)) {
    const { inspectedPack } = await import('./pack.js')
    return inspectedPack(bytes)
  }
  return inspectMessage(await onlyMessage({ ...source, bytes: () => bytes }))
}

/** First bytes of a ZIP file: `PK\x03\x04`. */
const ZIP = [0x50, 0x4b, 3, 4]

async function onlyMessage(source: InputSource): Promise<Uint8Array> {
  try {
    return await messageOfSource(source)
  } catch (error) {
    if (error instanceof NoMessage) throw malformed('source', KNOWN_FORMS, 'another format')
    throw error
  }
}

function inspectMessage(message: Uint8Array): Inspection {
  const control = inspectedControl(message)
  if (control) return control
  const classic = readIfClassic(message)
  if (classic) return inspectClassic(classic)
  try {
    return inspectBundles(message, identityBytes(message))
  } catch (error) {
    const other = otherIn(message)
    if (error instanceof AlvariumError && other !== undefined) throw malformed('source', KNOWN_FORMS, other)
    throw error
  }
}

const BUNDLES = /^alvarium\.(AnnotationBundle\/[12]|AnnotationBatch\/1|BatchedBundle\/1)$/

/** Returns a description of JSON that is not a message; undefined if its `messageType` belongs to bundles. */
function otherIn(message: Uint8Array): string | undefined {
  const type = typeIn(message)
  if (typeof type !== 'string') return 'JSON without a messageType'
  return BUNDLES.test(type) ? undefined : `JSON with the messageType ${quote(type)}`
}

function typeIn(message: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(message))
    return Reflect.get(Object(value), 'messageType')
  } catch {
    return ''
  }
}
