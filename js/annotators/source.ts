import type { Annotator } from './annotator.js'

/**
 * `src`: this host handled the payload. Always satisfied; what counts is the signature around it.
 *
 * @example
 * ```ts
 * await openSdk({ signingKey, annotators: [source()], stream })
 * ```
 */
export function source(): Annotator<'src'> {
  return { kind: 'src', isSatisfied: () => true }
}
