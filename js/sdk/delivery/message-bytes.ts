import type { HashName } from '../../foundation/model/bundle.js'
import type { Load } from './backpressure.js'
import type { Publisher } from './publisher.js'

interface MessageSettings {
  readonly hash: HashName
  readonly annotators: readonly { readonly kind: string }[]
  readonly host?: string | undefined
  readonly tag?: string | undefined
}

/**
 * Maximum bytes of a bundle apart from its annotations and host, and of an annotation apart from its kind
 * and tag. Bundles and annotations are longest in classic messages.
 */
const ENVELOPE_BYTES = 640
const ANNOTATION_BYTES = 640
/** Maximum bytes of a character in JSON, as an escape such as `\u0000`. */
const MAX_ESCAPE_BYTES = 6

/**
 * Returns a function that estimates the bytes of messages that are not signed yet. It assumes for each
 * message the longest length so far, or the length that the settings suggest if that is greater.
 */
export function bytesOfMessages(
  { hash, annotators, host = '', tag = '' }: MessageSettings,
  publisher: Pick<Publisher, 'longest'>,
): (sum: Readonly<Load>) => number {
  const kinds = annotators.reduce((sum, { kind }) => sum + kind.length, 0)
  const texts = host.length + kinds + annotators.length * tag.length
  const expected = ENVELOPE_BYTES + ANNOTATION_BYTES * annotators.length + MAX_ESCAPE_BYTES * texts
  // With the hash `none`, the message contains the payload itself, whose characters may be escaped.
  const spelled = hash === 'none' ? MAX_ESCAPE_BYTES : 0
  return ({ calls, bytes }) => calls * Math.max(expected, publisher.longest) + spelled * bytes
}
