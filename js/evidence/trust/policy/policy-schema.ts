import * as v from 'valibot'
import { AlvariumError } from '../../../foundation/base/errors.js'
import { digits, integer, oneOf, strict, withMaxItems } from '../../../foundation/base/options/schema.js'
import { isWellFormed } from '../../../foundation/base/text/text.js'
import { MaxBytes } from '../../../foundation/core/core.js'
import { ACTIONS, LAYERS } from '../../../foundation/model/bundle.js'
import { quorumMembers, type ReadQuorum } from '../../witness/options.js'
import { type Instant, instantOf } from './instant.js'
import { hasFewSearches, patternChecks } from './pattern.js'
import type { PolicyKey } from './policy.js'

const MAX_NAME_CHARACTERS = 255
/** Maximum length of a text in characters: that of a tag, which is the longest text that rules check. */
const MAX_TEXT_CHARACTERS = MaxBytes.Tag
const MAX_TEXTS = 1_000
/** Maximum number of keys of one signer, which suffices for years of monthly rotation. */
export const MAX_KEYS = 256
export const MAX_SIGNERS = 100_000
/** Maximum number of lines in an error, because nobody reads more. */
export const MAX_FAULTS = 50
/** Maximum duration in milliseconds: a hundred years. */
export const MAX_DURATION_MS = 3_155_760_000_000

/** Maximum number of revoked leases of one signer. */
const MAX_REVOKED = 1_000

const schemaName = v.optional(v.pipe(v.unknown(), v.description('No effect')))
const timestamp = 'a time such as 2026-11-20T10:00:00Z'
const instant = v.pipe(
  v.string(timestamp),
  v.rawTransform(({ dataset, addIssue, NEVER }): Instant => {
    const found = instantOf(dataset.value)
    if (found) return found
    addIssue({ message: timestamp })
    return NEVER
  }),
)
const text = (maxCharacters: number) =>
  v.pipe(
    v.string('a string'),
    v.maxLength(maxCharacters, `at most ${maxCharacters} characters`),
    v.check(isWellFormed, 'a string without lone surrogates'),
  )
const name = v.pipe(text(MAX_NAME_CHARACTERS), v.nonEmpty('a name'))
const pattern = v.pipe(text(MAX_TEXT_CHARACTERS), ...patternChecks)
const listOf = <Schema extends v.GenericSchema>(schema: Schema, expected: string) =>
  v.optional(withMaxItems(v.pipe(v.array(schema, expected), v.maxLength(MAX_TEXTS)), MAX_TEXTS, 'texts'))
const patterns = v.pipe(
  v.array(pattern, 'an array of texts or patterns'),
  v.maxLength(MAX_TEXTS),
  hasFewSearches,
)
const texts = v.optional(withMaxItems(patterns, MAX_TEXTS, 'texts'))

const validity = {
  from: v.optional(instant),
  until: v.optional(instant),
  revoked: v.optional(strict({ since: instant, why: v.optional(text(MAX_TEXT_CHARACTERS)) })),
}
/** Refuses a validity that ends before it begins, because no message could be valid. */
const assertOrder = <Given extends ReadValidity>() =>
  v.rawCheck<Given>(({ dataset: { typed, value }, addIssue }) => {
    const { from, until }: ReadValidity = typed ? value : {}
    if (!from || !until || from.ns <= until.ns) return
    const place = {
      type: 'object',
      origin: 'value',
      input: { from, until },
      key: 'until',
      value: until,
    } as const
    addIssue({ message: `a time not before "from", ${from.text}`, input: until.text, path: [place] })
  })
const optionalMs = v.optional(integer(0, MAX_DURATION_MS, 0), () => undefined)
const revokedLease = strict({
  serial: digits(32),
  since: instant,
  why: v.optional(text(MAX_TEXT_CHARACTERS)),
})
const revokedLeases = v.optional(
  withMaxItems(
    v.pipe(v.array(revokedLease, 'an array of revoked leases'), v.maxLength(MAX_REVOKED)),
    MAX_REVOKED,
    'leases',
  ),
)

interface KeyReader {
  add(key: PolicyKey): string
}

/** Returns the schema of a signer. @param keyring - reader of the keys, which throws if a key is invalid */
export function signerSchema(keyring: KeyReader) {
  const keys = v.pipe(
    v.array(keySchema(keyring), 'an array of public keys'),
    v.minLength(1, 'at least one public key'),
    v.maxLength(MAX_KEYS),
  )
  return v.pipe(
    strict({
      name,
      keys: withMaxItems(keys, MAX_KEYS, 'public keys'),
      hosts: texts,
      layers: listOf(oneOf(LAYERS), 'an array of layers'),
      actions: listOf(oneOf(ACTIONS), 'an array of actions'),
      kinds: texts,
      tags: texts,
      sets: texts,
      confirms: v.optional(v.boolean('true or false')),
      ...validity,
      acceptLateMs: optionalMs,
      maxLeaseMs: optionalMs,
      revokedLeases,
    }),
    assertOrder(),
  )
}

function keySchema(keyring: KeyReader) {
  const key = v.pipe(
    v.union([v.string(), v.looseObject({})], 'a public key: text, or a JSON Web Key'),
    v.rawTransform(({ dataset, addIssue, NEVER }): string => {
      try {
        return keyring.add(dataset.value as PolicyKey)
      } catch (error) {
        if (!(error instanceof AlvariumError) || error.code !== 'KEY_INVALID') throw error
        addIssue({ message: `a public key (${error.message})` })
        return NEVER
      }
    }),
  )
  const alone = v.pipe(
    key,
    v.transform((id): ReadKey => ({ id, from: undefined, until: undefined, revoked: undefined })),
  )
  const entry = v.pipe(
    strict({ key, ...validity }),
    assertOrder(),
    v.transform(({ key: id, ...rest }): ReadKey => ({ id, ...rest })),
  )
  const isEntry = (given: unknown) => typeof given === 'object' && given !== null && 'key' in given
  return v.lazy((given): v.GenericSchema<unknown, ReadKey> => (isEntry(given) ? entry : alone))
}

/** Valibot schema of a policy. The signers in it are validated one by one later, because there may be very many. */
export const policySchema = strict({
  $schema: schemaName,
  signers: withMaxItems(
    v.pipe(v.array(v.unknown(), 'an array of signers'), v.maxLength(MAX_SIGNERS)),
    MAX_SIGNERS,
    'signers',
  ),
  acceptLateMs: integer(0, MAX_DURATION_MS, 60_000),
  maxLeaseMs: integer(0, MAX_DURATION_MS, 86_400_000),
  ...quorumMembers,
})

export interface ReadValidity {
  readonly from?: Instant | undefined
  readonly until?: Instant | undefined
  readonly revoked?: { readonly since: Instant; readonly why?: string | undefined } | undefined
}

interface ReadKey extends ReadValidity {
  readonly id: string
}

export type ReadSigner = v.InferOutput<ReturnType<typeof signerSchema>>

/** Validated policy. No two signers share a name or a key. */
export interface ReadPolicy {
  readonly signers: readonly ReadSigner[]
  readonly acceptLateMs: number
  readonly maxLeaseMs: number
  readonly witnesses?: ReadQuorum | undefined
}
