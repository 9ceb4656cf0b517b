import type { Annotator } from './annotator.js'

/**
 * Creates the annotator `src`: this host handled the payload. It is always satisfied; the bundle's signature is the
 * evidence.
 *
 * @example
 * ```ts
 * await openSdk({ signingKey, annotators: [source()], stream })
 * ```
 */
export function source(): Annotator<'src'> {
  return { kind: 'src', isSatisfied: () => true }
}
