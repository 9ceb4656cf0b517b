import * as v from 'valibot'
import { expected, needs } from '../../foundation/base/errors.js'
import { integer, MAX_TIMEOUT_MS, strict } from '../../foundation/base/options/schema.js'
import { urlIn } from '../../foundation/base/text/text.js'
import { MAX_SIGNATURES } from '../logs/note.js'
import { type WitnessVerifier, witnessVerifier } from './key.js'

/** A witness that can be asked. */
export interface WitnessAddress {
  /** URL before `/add-checkpoint`. */
  readonly url: string
  /** Public key: `name+id+key` (C2SP tlog-cosignature). */
  readonly vkey: string
}

/** The witnesses of a reader, and the number of them that it takes. */
export interface WitnessQuorum {
  /** Public keys of witnesses, `name+id+key`, or objects that have them as `vkey`. 1 to 15. */
  readonly witnesses: readonly (string | Pick<WitnessAddress, 'vkey'>)[]
  /** Witnesses that it takes. Default: more than half. */
  readonly quorum?: number | undefined
}

/** Witnesses that are asked, and the time that they have. */
export interface AskedWitnesses {
  /** 1 to 15, each of them asked at the same time as the others. */
  readonly witnesses: readonly WitnessAddress[]
  /** Witnesses that it takes. Default: more than half. */
  readonly quorum?: number | undefined
  /** Most milliseconds for a witness. Default `5_000`. */
  readonly witnessTimeoutMs?: number | undefined
}

/** The log's own signature stands in the note, too. */
const MAX_WITNESSES = MAX_SIGNATURES - 1

const witnessList = <Schema extends v.GenericSchema>(one: Schema) =>
  v.pipe(
    v.array(one, 'an array of witnesses'),
    v.minLength(1, 'at least one witness'),
    v.maxLength(MAX_WITNESSES, `at most ${MAX_WITNESSES} witnesses`),
  )
const vkey = v.pipe(v.string("a witness's public key"), v.maxLength(1024, 'at most 1024 characters'))
const url = v.pipe(
  v.string('a URL of http or https'),
  v.check((given) => /^https?:$/.test(urlIn(given)?.protocol ?? ''), 'a URL of http or https'),
)
const quorum = v.optional(integer(1, MAX_WITNESSES, 1), () => undefined)

/** Schema of the options that say whose cosignatures count, and how many are needed. */
export const quorumMembers = {
  witnesses: v.optional(witnessList(v.union([vkey, v.looseObject({ vkey })], "a witness's public key"))),
  quorum,
}
/** Members of options by which witnesses are asked. The page of limits shows them. */
export const askedMembers = {
  witnesses: v.optional(witnessList(strict({ url, vkey }))),
  quorum,
  witnessTimeoutMs: integer(100, MAX_TIMEOUT_MS, 5_000),
}

/** The witnesses of a reader. */
export interface ReadQuorum {
  readonly witnesses: readonly WitnessVerifier[]
  readonly quorum: number
}

/**
 * Reads the keys of witnesses, if there are any.
 *
 * @throws AlvariumError `CONFIG_INVALID` as {@link readQuorum}, and for a quorum of no witnesses, which would be no check
 */
export function readQuorumIfAny(
  { witnesses, quorum }: { readonly [Name in keyof WitnessQuorum]?: WitnessQuorum[Name] | undefined },
  field: string,
): ReadQuorum | undefined {
  if (witnesses) return readQuorum({ witnesses, quorum }, field)
  if (quorum !== undefined) throw needs(`${field}.witnesses`, 'witnesses for the quorum')
  return undefined
}

/**
 * Reads the keys of witnesses.
 *
 * @param field - name of the options in errors
 * @throws AlvariumError `CONFIG_INVALID`, also for one public key under two names: it would count twice
 */
export function readQuorum({ witnesses: given, quorum }: WitnessQuorum, field: string): ReadQuorum {
  const vkeys = given.map((one) => (typeof one === 'string' ? one : one.vkey))
  const witnesses = vkeys.map((one, at) => witnessVerifier(one, `${field}.witnesses.${at}`))
  const keys = new Set(vkeys.map((one) => one.split('+').slice(2).join('+')))
  if (keys.size < vkeys.length) {
    throw expected(
      'CONFIG_INVALID',
      `${field}.witnesses`,
      'a different public key for each witness',
      'a repeated public key',
    )
  }
  const count = witnesses.length
  const needed = quorum ?? Math.floor(count / 2) + 1
  if (needed > count)
    throw expected(
      'CONFIG_INVALID',
      `${field}.quorum`,
      `at most ${count}, the number of witnesses`,
      `${needed}`,
    )
  return { witnesses, quorum: needed }
}
