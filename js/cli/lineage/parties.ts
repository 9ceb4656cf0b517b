import type { ClassicMessage, VerifiedBundle } from 'alvarium-sdk/verify'
import * as v from 'valibot'
import { ACTIONS, type Annotation, HASHES } from '../../foundation/model/bundle.js'
import { type Outcome, outcomeOfCode } from '../../foundation/model/outcome.js'
import { nameOf, type PayloadName } from '../../verifying/score/score.js'
import type { Verdict } from '../verify/verdict.js'

export interface Party {
  /** Name of the signer in the trust policy, or the key id if the policy has no name. */
  readonly signer: string
  readonly host: string
  /** Action of the bundles; undefined for classic annotations, which do not sign the action. */
  readonly action: string | undefined
  /**
   * Outcome of verifying the signer's messages, whatever their annotations say: `'does not hold'` if they
   * were refused, `'cannot tell'` if the signer is unknown.
   */
  readonly outcome: Outcome
  readonly fault: string | undefined
  readonly answers: ReadonlyMap<string, { readonly yes: number; readonly no: number }>
  /** Earliest and latest timestamp, exactly as signed. */
  readonly first: string
  readonly last: string
  readonly count: number
}

interface Statement {
  readonly signer: string
  readonly host: string
  readonly action?: string | undefined
  readonly fault?: string | undefined
  readonly timestamp: string
  readonly annotations: readonly Pick<Annotation, 'kind' | 'isSatisfied'>[]
}

/** Party that is still being collected: later messages may add annotations. */
interface OpenParty extends Pick<Party, 'signer' | 'host' | 'action' | 'fault'> {
  readonly answers: Map<string, { yes: number; no: number }>
  first: string
  last: string
  count: number
}

export class Parties {
  readonly #payloads = new Map<string, Map<string, OpenParty>>()

  /** Adds a message with its verdict. If the message did not verify, adds its contents as claims. */
  addVerdict(verdict: Verdict): void {
    if (verdict.format === 'bundle') for (const bundle of verdict.bundles) this.#addBundle(bundle)
    if (verdict.format === 'classic') this.#addClassic(verdict.classic)
    if (verdict.format === 'none' && verdict.message) {
      for (const claim of claimedIn(verdict.message)) this.#addClaim(claim, verdict.error.code)
    }
  }

  add(payload: PayloadName, { signer, host, action, fault, timestamp, annotations }: Statement): void {
    const name = nameOf(payload)
    const parties = this.#payloads.get(name) ?? new Map<string, OpenParty>()
    this.#payloads.set(name, parties)
    const key = JSON.stringify([signer, host, action, fault])
    const sum = parties.get(key) ?? newSum({ signer, host, action, fault }, timestamp)
    parties.set(key, sum)
    sum.count++
    if (Date.parse(timestamp) < Date.parse(sum.first)) sum.first = timestamp
    if (Date.parse(timestamp) > Date.parse(sum.last)) sum.last = timestamp
    for (const { kind, isSatisfied } of annotations) {
      const counts = sum.answers.get(kind) ?? { yes: 0, no: 0 }
      counts[isSatisfied ? 'yes' : 'no']++
      sum.answers.set(kind, counts)
    }
  }

  /** Returns the parties of a payload in the order of their first messages. */
  of(payload: PayloadName): Party[] {
    const sums = this.#payloads.get(nameOf(payload))?.values() ?? []
    return Array.from(sums, (sum) => ({
      ...sum,
      outcome: sum.fault === undefined ? 'holds' : outcomeOfCode(sum.fault),
    }))
  }

  #addBundle(bundle: VerifiedBundle): void {
    const { signer, signedBy } = bundle
    this.add(bundle, { ...bundle, signer: signedBy?.name ?? signer })
  }

  #addClassic({ annotations }: ClassicMessage): void {
    for (const one of annotations) {
      if (one.status === 'rejected') continue
      const { signer, signedBy, host, timestamp } = one.value
      this.add(one.value, { signer: signedBy?.name ?? signer, host, timestamp, annotations: [one.value] })
    }
  }

  #addClaim(claim: ClaimedBundle, fault: string): void {
    this.add(claim, { ...claim, fault, annotations: [] })
  }
}

function newSum(
  party: Pick<OpenParty, 'signer' | 'host' | 'action' | 'fault'>,
  timestamp: string,
): OpenParty {
  return { ...party, answers: new Map(), first: timestamp, last: timestamp, count: 0 }
}

// Schemas of messages that did not verify. Reports show their contents as claims.

const claim = v.object({ key: v.string(), hash: v.picklist(HASHES), host: v.string(), timestamp: v.string() })
const action = v.picklist(ACTIONS)

const single = v.object({ action, content: v.object({ signer: v.string(), ...claim.entries }) })
const batch = v.object({
  content: v.object({
    signer: v.string(),
    bundles: v.array(v.object({ action, ...claim.entries })),
  }),
})

interface ClaimedBundle extends v.InferOutput<typeof claim> {
  readonly action: string
  readonly signer: string
}

/** Returns the unverified contents of a JSON message that failed verification. */
function claimedIn(message: Uint8Array): ClaimedBundle[] {
  const json = jsonIn(message)
  const many = v.safeParse(batch, json)
  if (many.success) {
    const { signer, bundles } = many.output.content
    return bundles.map((bundle) => ({ ...bundle, signer }))
  }
  const one = v.safeParse(single, json)
  return one.success ? [{ ...one.output.content, action: one.output.action }] : []
}

function jsonIn(message: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(message))
  } catch {
    return undefined
  }
}
