import * as v from 'valibot'
import { AlvariumError } from '../../foundation/base/errors.js'
import { digits, oneOf, strict } from '../../foundation/base/options/schema.js'
import { MaxBytes, withCore } from '../../foundation/core/core.js'
import { isPayloadKey } from '../../foundation/core/input-leaves.js'
import { HASHES } from '../../foundation/model/bundle.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import { count, hash } from '../sets/schemas.js'

/** Returns the schema of a UTC time in the form of the example. Such times compare as strings. */
export function timeLike(example: string) {
  const expected = `a time such as ${example}`
  const form = new RegExp(`^${example.replace('.', '\\.').replace(/\d/g, '\\d')}$`)
  return v.pipe(
    v.string(expected),
    v.regex(form, expected),
    v.check((text) => withCore((core) => core.isTimestamp(text)), expected),
  )
}

/** Range of positions in a log. Positions count messages from 0. */
export interface LogRange {
  /** Key id of the key that signs the log's checkpoints: 32 lower-case hexadecimal digits. */
  readonly signer: string
  /** Id of the run: 32 lower-case hexadecimal digits. */
  readonly run: string
  /** First position of the range. */
  readonly from: number
  /** End of the range: the position after the last one. */
  readonly until: number
}

/**
 * Signer and a span of time by the signer's clock, both ends included. The span covers all runs of the
 * signer, and runs of keys that the signer leased.
 */
export interface SignerSpan {
  /** Key id of the key that the trust policy names: 32 lower-case hexadecimal digits. */
  readonly id: string
  /** Start of the span, in the time format of checkpoints: `2026-11-20T10:00:00.000000Z`. */
  readonly from: string
  /** End of the span, in the format of `from` and not before it. */
  readonly until: string
}

/** Subject of a pack: what its messages are about. */
export type PackSubject =
  /** Statements about a payload and its ancestors. */
  | { readonly payload: PayloadName }
  /** Messages in a range of a signer's log. */
  | { readonly log: LogRange }
  /** Messages that a signer signed in a span of time. */
  | { readonly signer: SignerSpan }
  /** Payloads of the set with this id: 64 lower-case hexadecimal digits. */
  | { readonly set: string }
  /** Any subject in the author's words, 1 to 1,024 characters. Sentences about the pack quote them. */
  | { readonly query: string }

const KEY = 'a payload key'
const payloadName = v.pipe(
  strict({
    key: v.pipe(v.string(KEY), v.maxLength(MaxBytes.Unhashed, KEY)),
    hash: oneOf(HASHES),
  }),
  v.check(isPayloadKey, 'a payload key of its hash, in upper case'),
)

const time = timeLike('2026-11-20T10:00:00.000000Z')
const span = v.pipe(
  strict({ id: digits(32), from: time, until: time }),
  v.check(({ from, until }) => from <= until, 'a span that does not end before it begins'),
)

export const subject = v.union(
  [
    strict({ payload: payloadName }),
    strict({
      log: v.pipe(
        strict({ signer: digits(32), run: digits(32), from: count, until: count }),
        v.check(({ from, until }) => from < until, 'a part with at least one message'),
      ),
    }),
    strict({ signer: span }),
    strict({ set: hash }),
    strict({
      query: v.pipe(v.string('a text'), v.nonEmpty('a text'), v.maxLength(1024, 'at most 1,024 characters')),
    }),
  ],
  'one of payload, log, signer, set and query',
)

/** @throws AlvariumError `CONFIG_INVALID` */
export function assertSubject(about: unknown): asserts about is PackSubject {
  const { success, issues } = v.safeParse(subject, about)
  if (success) return
  const [{ message, path }] = issues
  const place = ['about', ...(path ?? []).map(({ key }) => String(key))].join('.')
  throw new AlvariumError('CONFIG_INVALID', `${place}: expected ${message}, got another value`)
}
