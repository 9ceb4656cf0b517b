import * as v from 'valibot'
import type { Annotator } from '../annotators/annotator.js'
import { readOptions, strict } from '../base/options/schema.js'

/** What `mock` answers. */
export interface MockOptions {
  /** Default true. */
  readonly shouldSatisfy?: boolean | undefined
}

const schema = strict({ shouldSatisfy: v.optional(v.boolean('true or false'), true) })

/**
 * `mock`: answers what it was told to, for trying out what reads annotations.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
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
