import type { HashName } from '../model/bundle.js'
import type { Load } from './admission.js'
import type { Outlet } from './outlet.js'

/** What says how long messages get. */
export interface MessageSettings {
  readonly hash: HashName
  readonly annotators: readonly { readonly kind: string }[]
  readonly host?: string | undefined
  readonly tag?: string | undefined
}

/** What a bundle has beside its annotations and its host, and an annotation beside kind and tag; in classic messages that is most. */
const ENVELOPE_BYTES = 640
const ANNOTATION_BYTES = 640
/** A character may be written as an escape: `\u0000`. */
const SPELLED = 6

/**
 * About how many bytes the messages of calls have that are not sealed: as many as the longest so far, and before the first as a
 * message of these settings at most.
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
