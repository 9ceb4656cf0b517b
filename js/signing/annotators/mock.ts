import * as v from 'valibot'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import type { Annotator } from './annotator.js'

/** Options of the annotator {@link mock}: the answer that it gives. */
export interface MockOptions {
  /** Answer of the annotator. Default true. */
  readonly shouldSatisfy?: boolean | undefined
}

const schema = strict({ shouldSatisfy: v.optional(v.boolean('true or false'), true) })

/**
 * Creates an annotator that always returns the same answer, to test code that reads annotations.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the invalid option
 *
 * @example
 * ```ts
 * await openSdk({ signingKey, annotators: [mock({ shouldSatisfy: false })], stream })
 * ```
 */
export function mock(options: MockOptions = {}): Annotator<'mock'> {
  const { shouldSatisfy } = readOptions(schema, options, 'mock')
  return { kind: 'mock', isSatisfied: () => shouldSatisfy }
}
