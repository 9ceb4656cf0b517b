import * as v from 'valibot'
import { expected, needs } from '../../foundation/base/errors.js'
import { integer, MAX_TIMEOUT_MS, strict } from '../../foundation/base/options/schema.js'
import { urlIn } from '../../foundation/base/text/text.js'
import { MAX_SIGNATURES } from '../logs/note.js'
import { type WitnessVerifier, witnessVerifier } from './key.js'

/** URL and public key of a witness. */
export interface WitnessAddress {
  /** URL to which `/add-checkpoint` is appended. */
  readonly url: string
  /** Public key: `name+id+key` (C2SP tlog-cosignature). */
  readonly vkey: string
}

/** Witnesses that a reader trusts, and how many of them must have signed a checkpoint. */
export interface WitnessQuorum {
  /** Public keys of 1 to 15 witnesses: texts `name+id+key`, or objects with this text as `vkey`. */
  readonly witnesses: readonly (string | Pick<WitnessAddress, 'vkey'>)[]
  /** Number of witnesses that must have signed a checkpoint. Default: more than half. */
  readonly quorum?: number | undefined
}

/** Witnesses to ask for cosignatures, and the time limit for their answers. */
export interface AskedWitnesses {
  /** 1 to 15 witnesses, which are all asked at the same time. */
  readonly witnesses: readonly WitnessAddress[]
  /** Number of witnesses that must have signed a checkpoint. Default: more than half. */
  readonly quorum?: number | undefined
  /** Maximum time for the answer of a witness, in milliseconds. Default `5_000`. */
  readonly witnessTimeoutMs?: number | undefined
}

/** Maximum number of witnesses, because one of the {@link MAX_SIGNATURES} signatures of a note is the log's. */
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

export const quorumMembers = {
  witnesses: v.optional(witnessList(v.union([vkey, v.looseObject({ vkey })], "a witness's public key"))),
  quorum,
}
/** Valibot schemas of the options for asking witnesses. The guide's page of limits is generated from them. */
export const askedMembers = {
  witnesses: v.optional(witnessList(strict({ url, vkey }))),
  quorum,
  witnessTimeoutMs: integer(100, MAX_TIMEOUT_MS, 5_000),
}

export interface ReadQuorum {
  readonly witnesses: readonly WitnessVerifier[]
  readonly quorum: number
}

/**
 * Reads the keys of witnesses. Returns undefined if there are neither witnesses nor a quorum.
 *
 * @throws AlvariumError `CONFIG_INVALID` as {@link readQuorum}, and for a quorum without witnesses
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
 * @param field - name of the options in error messages
 * @throws AlvariumError `CONFIG_INVALID`, also for a public key under two names, which would count twice
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
