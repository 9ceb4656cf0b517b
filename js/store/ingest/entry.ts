import { isSpelledSingle } from '../../evidence/completeness/checkpoint/leaf.js'
import type { Action, Annotation, Input } from '../../foundation/model/bundle.js'
import { annotationIdOf } from '../../verifying/classic/ids.js'
import { readAnnotation } from '../../verifying/classic/read-annotation.js'
import type { ReadMessage } from '../../verifying/classic/read-message.js'
import type { ClassicMessage, VerifiedAnnotation } from '../../verifying/classic/verify-classic.js'
import type { ReceivedBundle, ReceivedClassic } from '../../verifying/consume/received.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { VerifiedBundle } from '../../verifying/verify/options.js'
import type { ReceivedMessage } from './message-ids.js'

/** Content of one row in `bundle`: a bundle, or one annotation of another SDK. Other SDKs sign each annotation. */
export interface Entry {
  /** Id of the entry in the log: 64 hexadecimal digits. */
  readonly id: string
  /** Index of the bundle in its batch, or of the annotation in its message. */
  readonly place: number
  /** Action of a bundle. Undefined for an annotation of another SDK, because there the action is not signed. */
  readonly action: Action | undefined
  readonly signer: string
  /** Name of the signer in the trust policy that permitted the entry. Undefined without a policy. */
  readonly signedBy: string | undefined
  readonly host: string
  readonly layer: string
  readonly timestamp: string
  readonly payload: PayloadName
  readonly previous: PayloadName | undefined
  /** Payloads and sets from which the payload was made. Present instead of `previous`. */
  readonly inputs: readonly Input[] | undefined
  /** Payload from which this one was made, according to the unsigned action in a message of another SDK. */
  readonly implied: PayloadName | undefined
  readonly annotations: readonly Omit<Annotation, 'id'>[]
}

export function entryOf(bundle: VerifiedBundle, place: number): Entry {
  const { key, hash, previousKey, inputs } = bundle
  // Copy each property: object spread took a tenth of the time of storing.
  return {
    id: bundle.id,
    place,
    action: bundle.action,
    signer: bundle.signer,
    signedBy: bundle.signedBy?.name,
    host: bundle.host,
    layer: bundle.layer,
    timestamp: bundle.timestamp,
    payload: { key, hash },
    previous: previousKey === undefined ? undefined : { key: previousKey, hash },
    inputs,
    implied: undefined,
    annotations: bundle.annotations,
  }
}

export function classicEntries({ action, annotations }: ClassicMessage): Entry[] {
  const [first] = annotations
  // By crate/FORMAT.md, the first annotation of a `mutate` is about the old payload. The order is not signed.
  const source = action === 'mutate' && first?.status === 'fulfilled' ? nameIn(first.value) : undefined
  return annotations.flatMap((one, place) => {
    if (one.status === 'rejected') return []
    const payload = nameIn(one.value)
    const implied = place > 0 && source && source.key !== payload.key ? source : undefined
    return [classicEntry(one.value, place, payload, implied)]
  })
}

/**
 * Reads an annotation of another SDK with a claimed signer. Verifies nothing, because the log shows whether
 * it has the annotation's id.
 */
export function claimedEntry(
  { action, dialect, items }: ReadMessage,
  place: number,
  signer: string,
): Entry | undefined {
  const annotations = [items[0], items[place]].map((item): VerifiedAnnotation | undefined => {
    return item === undefined
      ? undefined
      : { ...readAnnotation(item, dialect).annotation, signer, payloadChecked: false }
  })
  const [first, ownAnnotation] = annotations
  if (!first || !ownAnnotation) return undefined
  const [source, payload] = [nameIn(first), nameIn(ownAnnotation)]
  const isMade = action === 'mutate' && place > 0 && source.key !== payload.key
  return classicEntry(ownAnnotation, place, payload, isMade ? source : undefined)
}

function classicEntry(
  annotation: VerifiedAnnotation,
  place: number,
  payload: PayloadName,
  implied: PayloadName | undefined,
): Entry {
  const { signer, signedBy, host, layer, timestamp, kind, tag, isSatisfied } = annotation
  return {
    id: annotationIdOf(annotation),
    place,
    signer,
    signedBy: signedBy?.name,
    host,
    layer,
    timestamp,
    action: undefined,
    payload,
    previous: undefined,
    inputs: undefined,
    implied,
    annotations: [{ kind, tag, isSatisfied }],
  }
}

function nameIn({ key, hash }: VerifiedAnnotation): PayloadName {
  return { key, hash }
}

export interface VerifiedEntry {
  readonly entry: Entry
  readonly evidence: ReceivedMessage
}

/** Returns the entries of delivered bundles. Bundles of one batch share one message object. */
export function entriesIn(bundles: readonly (ReceivedBundle | ReceivedClassic)[]): VerifiedEntry[] {
  const evidence = new Map<Uint8Array, ReceivedMessage>()
  return bundles.flatMap((one) => {
    const { message, receivedAt } = one
    const receivedMessage = evidence.get(message) ?? { message, receivedAt, isSingle: isSingle(one) }
    evidence.set(message, receivedMessage)
    const entries = one.format === 'bundle' ? [entryOf(one, one.index)] : classicEntries(one)
    return entries.map((entry) => ({ entry, evidence: receivedMessage }))
  })
}

function isSingle(one: ReceivedBundle | ReceivedClassic): boolean {
  return one.format === 'bundle' && isSpelledSingle(one.message, one.action)
}
