// How a trust policy is checked, member by member, and what it is after that.

import * as v from 'valibot'
import { AlvariumError } from '../base/errors.js'
import { bounded, digits, integer, oneOf, strict } from '../base/options/schema.js'
import { isWellFormed } from '../base/text/text.js'
import { Longest } from '../core/core.js'
import { ACTIONS, LAYERS } from '../model/bundle.js'
import { quorumMembers, type ReadQuorum } from '../witness/options.js'
import { type Instant, instantOf } from './instant.js'
import { FEW_SEARCHES, FEW_STARS, hasFewSearches, hasFewStars, isPattern } from './pattern.js'
import type { PolicyKey } from './policy.js'

const LONGEST_NAME = 255
/** As long as a tag, which is the longest text of a bundle. */
const LONGEST_TEXT = Longest.Tag
/** In one list. */
const MAX_TEXTS = 1_000
/** Of one signer: years of monthly rotation. */
export const MAX_KEYS = 256
export const MOST_SIGNERS = 100_000
/** More lines of an error than anybody reads. */
export const MOST_FAULTS = 50
/** A hundred years. */
export const LONGEST_MS = 3_155_760_000_000

/** Revoked leases of one signer. */
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
const text = (most: number) =>
  v.pipe(
    v.string('a string'),
    v.maxLength(most, `at most ${most} characters`),
    v.check(isWellFormed, 'whole characters'),
  )
const name = v.pipe(text(LONGEST_NAME), v.nonEmpty('a name'))
const pattern = v.pipe(
  text(LONGEST_TEXT),
  v.check(isPattern, 'a text in which * or \\ stands behind each \\'),
  v.check(hasFewStars, FEW_STARS),
)
const listOf = <Schema extends v.GenericSchema>(schema: Schema, expected: string) =>
  v.optional(bounded(v.pipe(v.array(schema, expected), v.maxLength(MAX_TEXTS)), MAX_TEXTS, 'texts'))
const patterns = v.pipe(
  v.array(pattern, 'an array of texts or patterns'),
  v.maxLength(MAX_TEXTS),
  v.check((list) => hasFewSearches(list), FEW_SEARCHES),
)
const texts = v.optional(bounded(patterns, MAX_TEXTS, 'texts'))

const validity = {
  from: v.optional(instant),
  until: v.optional(instant),
  revoked: v.optional(strict({ since: instant, why: v.optional(text(LONGEST_TEXT)) })),
}
/** A time that ends before it begins is a mistake: everything would be refused. */
const inOrder = <Given extends ReadValidity>() =>
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
    addIssue({ message: `a time not before from, ${from.text}`, input: until.text, path: [place] })
  })
const ownMs = v.optional(integer(0, LONGEST_MS, 0), () => undefined)
const revokedLease = strict({ serial: digits(32), since: instant, why: v.optional(text(LONGEST_TEXT)) })
const revokedLeases = v.optional(
  bounded(
    v.pipe(v.array(revokedLease, 'an array of revoked leases'), v.maxLength(MAX_REVOKED)),
    MAX_REVOKED,
    'leases',
  ),
)

/** Who reads public keys. */
interface TakesKeys {
  /** Returns its key id. */
  add(key: PolicyKey): string
}

/** @param keyring - takes the keys, and says what is wrong with one */
export function signerSchema(keyring: TakesKeys) {
  const keys = v.pipe(
    v.array(keySchema(keyring), 'an array of public keys'),
    v.minLength(1, 'at least one public key'),
    v.maxLength(MAX_KEYS),
  )
  return v.pipe(
    strict({
      name,
      keys: bounded(keys, MAX_KEYS, 'public keys'),
      hosts: texts,
      layers: listOf(oneOf(LAYERS), 'an array of layers'),
      actions: listOf(oneOf(ACTIONS), 'an array of actions'),
      kinds: texts,
      tags: texts,
      sets: texts,
      confirms: v.optional(v.boolean('true or false')),
      ...validity,
      acceptLateMs: ownMs,
      maxLeaseMs: ownMs,
      revokedLeases,
    }),
    inOrder(),
  )
}

/** A key alone, or with a time of its own. */
function keySchema(keyring: TakesKeys) {
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
    inOrder(),
    v.transform(({ key: id, ...rest }): ReadKey => ({ id, ...rest })),
  )
  const isEntry = (given: unknown) => typeof given === 'object' && given !== null && 'key' in given
  return v.lazy((given): v.GenericSchema<unknown, ReadKey> => (isEntry(given) ? entry : alone))
}

/** The policy around its signers, which are read one by one: there may be very many. */
export const policySchema = strict({
  $schema: schemaName,
  signers: bounded(
    v.pipe(v.array(v.unknown(), 'an array of signers'), v.maxLength(MOST_SIGNERS)),
    MOST_SIGNERS,
    'signers',
  ),
  acceptLateMs: integer(0, LONGEST_MS, 60_000),
  maxLeaseMs: integer(0, LONGEST_MS, 86_400_000),
  ...quorumMembers,
})

/** A time, with what was revoked in it. */
export interface ReadValidity {
  readonly from?: Instant | undefined
  readonly until?: Instant | undefined
  readonly revoked?: { readonly since: Instant; readonly why?: string | undefined } | undefined
}

/** A key by its id. */
export interface ReadKey extends ReadValidity {
  readonly id: string
}

/** A signer as its policy says. */
export type ReadSigner = v.InferOutput<ReturnType<typeof signerSchema>>

/** A policy that can work: each signer has its name and its keys for itself. */
export interface ReadPolicy {
  readonly signers: readonly ReadSigner[]
  readonly acceptLateMs: number
  readonly maxLeaseMs: number
  readonly witnesses?: ReadQuorum | undefined
}
