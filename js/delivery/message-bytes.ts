import type { HashName } from '../model/bundle.js'
import type { Load } from './admission.js'
import type { Outlet } from './outlet.js'

/** What decides how long messages are. */
export interface MessageSettings {
  readonly hash: HashName
  readonly annotators: readonly { readonly kind: string }[]
  readonly host?: string | undefined
  readonly tag?: string | undefined
}

/** Bytes of a bundle without annotations and host, and of an annotation without kind and tag. Classic messages have most. */
const ENVELOPE_BYTES = 640
const ANNOTATION_BYTES = 640
/** A character may be written as an escape: `\u0000`. */
const SPELLED = 6

/**
 * Estimates the bytes of messages that are not sealed yet: each counts like the longest so far, and at least like the longest that is
 * to be expected by these settings.
 */
export function bytesOfMessages(
  { hash, annotators, host = '', tag = '' }: MessageSettings,
  outlet: Pick<Outlet, 'longest'>,
): (sum: Readonly<Load>) => number {
  const kinds = annotators.reduce((sum, { kind }) => sum + kind.length, 0)
  const texts = host.length + kinds + annotators.length * tag.length
  const expected = ENVELOPE_BYTES + ANNOTATION_BYTES * annotators.length + SPELLED * texts
  // With hash `none` the key is the payload.
  const spelled = hash === 'none' ? SPELLED : 0
  return ({ calls, bytes }) => calls * Math.max(expected, outlet.longest) + spelled * bytes
}
