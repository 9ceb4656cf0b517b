import type { Action } from '../../foundation/model/bundle.js'
import type { ClassicMessage, VerifiedAnnotation } from '../../verifying/classic/verify-classic.js'
import type { VerifiedBundle } from '../../verifying/verify/options.js'
import { msOf } from '../completeness/times.js'

/** Statement of one verified bundle, or of one verified annotation of another SDK. */
export interface PackStatement {
  /** Name of the signer in the trust policy, or its key id if it has no name. */
  readonly signer: string
  /** Id of the key that signed the statement. */
  readonly keyId: string
  readonly host: string
  /** Time of the statement by the signer's clock. */
  readonly timestamp: string
  /** Action of the bundle. Undefined for an annotation of another SDK, because its signature covers no action. */
  readonly action?: Action | undefined
  readonly hash: string
  /** Key of the payload that the statement is about. */
  readonly key: string
  /** Kinds of the satisfied annotations. */
  readonly yes: readonly string[]
  /** Kinds of the annotations that are not satisfied. */
  readonly no: readonly string[]
}

/** Summary of one signer's statements in a pack. */
export interface PackSigner {
  /** Name of the signer in the trust policy, or its key id if it has no name. */
  readonly signer: string
  /** Ids of the signer's keys that signed a statement in the pack. */
  readonly keyIds: readonly string[]
  /** Number of statements by the signer: bundles, and annotations of other SDKs. */
  readonly statements: number
  /** Number of satisfied annotations. */
  readonly yes: number
  /** Number of annotations that are not satisfied. */
  readonly no: number
  /** Earliest timestamp of the statements. */
  readonly since: string
  /** Latest timestamp of the statements. */
  readonly until: string
}

export class PackStatements {
  readonly statements: PackStatement[] = []
  readonly #max: number
  readonly #signers = new Map<string, ReturnType<typeof newSigner>>()

  /** @param max - maximum number of statements to keep; further statements are only counted */
  constructor(max: number) {
    this.#max = max
  }

  get signers(): PackSigner[] {
    return [...this.#signers.values()]
      .map(({ keyIds, ...one }) => ({ ...one, keyIds: [...keyIds].sort() }))
      .sort((one, other) => (one.signer < other.signer ? -1 : 1))
  }

  addBundle({ action, ...bundle }: VerifiedBundle): void {
    this.#add({ ...statementOf(bundle), action, ...answersIn(bundle.annotations) })
  }

  addClassic({ annotations }: ClassicMessage): void {
    for (const one of annotations) {
      if (one.status === 'fulfilled') this.#add({ ...statementOf(one.value), ...answersIn([one.value]) })
    }
  }

  #add(statement: PackStatement): void {
    if (this.statements.length < this.#max) this.statements.push(statement)
    const { signer, keyId, timestamp, yes, no } = statement
    const known = this.#signers.get(signer) ?? newSigner(signer, timestamp)
    this.#signers.set(signer, known)
    known.keyIds.add(keyId)
    known.statements++
    known.yes += yes.length
    known.no += no.length
    const ms = msOf(timestamp)
    if (ms < msOf(known.since)) known.since = timestamp
    if (ms > msOf(known.until)) known.until = timestamp
  }
}

function newSigner(signer: string, timestamp: string) {
  const keyIds = new Set<string>()
  return { signer, keyIds, statements: 0, yes: 0, no: 0, since: timestamp, until: timestamp }
}

type Statement = Pick<VerifiedBundle, 'signer' | 'signedBy' | 'host' | 'timestamp' | 'key'> & { hash: string }

function statementOf({ signer, signedBy, host, timestamp, hash, key }: Statement) {
  return { signer: signedBy?.name ?? signer, keyId: signer, host, timestamp, hash, key }
}

function answersIn(annotations: readonly Pick<VerifiedAnnotation, 'kind' | 'isSatisfied'>[]) {
  const kindsOf = (isYes: boolean) =>
    annotations.filter(({ isSatisfied }) => isSatisfied === isYes).map(({ kind }) => kind)
  return { yes: kindsOf(true), no: kindsOf(false) }
}
