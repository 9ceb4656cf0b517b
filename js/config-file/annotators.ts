import * as v from 'valibot'
import type { Annotator } from '../annotators/annotator.js'
import { pki } from '../annotators/pki.js'
import { source } from '../annotators/source.js'
import { tls } from '../annotators/tls.js'
import { tpm } from '../annotators/tpm.js'
import { AlvariumError } from '../base/errors.js'
import type { AnnotatorEntry, AnnotatorTable, ConfigContext } from './tables.js'

/** An annotator that a config can name. */
export interface BuiltIn {
  /** What an entry can say beside its kind. */
  readonly members: v.ObjectEntries
  make(entry: AnnotatorEntry, context: ConfigContext): Annotator | PromiseLike<Annotator>
}

/** What `source` is called by in a sample of the Rust SDK. */
const src: BuiltIn = { members: {}, make: () => source() }

/** All that the other SDKs have, by their names in configs. */
export const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  src,
  source: src,
  tls: { members: {}, make: () => tls() },
  tpm: { members: {}, make: () => tpm() },
  pki: { members: {}, make: (_, { verifyingKey }) => pki({ verifyingKey: given(verifyingKey, 'pki') }) },
  mock: {
    members: { shouldSatisfy: v.optional(v.boolean('true or false'), false) },
    make: ({ shouldSatisfy }) => ({ kind: 'mock', isSatisfied: () => shouldSatisfy === true }),
  },
}

function given<T>(verifyingKey: T | undefined, kind: string): T {
  if (verifyingKey !== undefined) return verifyingKey
  const text = `signature.public: expected the key that ${kind} looks for, got none`
  throw new AlvariumError('CONFIG_INVALID', text)
}

/** Makes the annotators that a config names, in its order. */
export function annotatorsOf(
  entries: readonly AnnotatorEntry[],
  own: AnnotatorTable,
  context: ConfigContext,
): Promise<Annotator[]> {
  return Promise.all(
    entries.map(async (entry) => {
      const { kind } = entry
      if (Object.hasOwn(own, kind)) return (own[kind] as AnnotatorTable[string])(entry, context)
      return (BUILT_IN[kind] as BuiltIn).make(entry, context)
    }),
  )
}
