import type { Annotation } from 'alvarium-sdk/verify'
import { ACTIONS, HASHES, LAYERS } from '../../foundation/model/bundle.js'
import { verifyReceived } from '../../verifying/verify/messages.js'
import type { FoundMessage } from '../messages/found.js'
import type { AskedPayload } from './asked-payload.js'
import { type Verdict, type VerifyContext, verdictsOn } from './verdict.js'

export interface Alteration {
  /** Path of the field, such as `annotations[1].isSatisfied`. */
  readonly field: string
  readonly signed: string
  readonly came: string
}

interface MessageText {
  action: string
  readonly content: { [field: string]: unknown; annotations: Annotation[] }
}

/** Maximum product of the length of a message in bytes and its number of annotations. More would take too long. */
const MAX_GUESSES = 4 * 1024 * 1024

const CHOICES: Readonly<Record<string, readonly string[]>> = { layer: LAYERS, hash: HASHES }

/**
 * Finds the altered field of a bundle by trying other values until the signature verifies. Succeeds only if
 * exactly one field was altered, and this field has few possible values or is the key of a known payload.
 */
async function alterationIn(
  message: Uint8Array,
  { keyring, payload, leases }: VerifyContext,
): Promise<Alteration | undefined> {
  const claim = saidIn(message)
  if (!claim) return undefined
  if (claim.content.annotations.length * message.length > MAX_GUESSES) return undefined
  const guesses = [...guessesAt(claim), ...(payload ? [keyGuess(claim, payload)] : [])]
  const messages = guesses.map(({ text }) => new TextEncoder().encode(text))
  const outcomes = await verifyReceived(messages, { keyring, leases }, () => undefined)
  return guesses[outcomes.findIndex(({ status }) => status === 'fulfilled')]
}

interface Guess extends Alteration {
  readonly text: string
}

function saidIn(message: Uint8Array): MessageText | undefined {
  const claim = JSON.parse(new TextDecoder().decode(message))
  return Array.isArray(claim?.content?.annotations) ? claim : undefined
}

function guessesAt(claim: MessageText): Guess[] {
  const { content } = claim
  const actions = otherChoices(ACTIONS, claim.action).map((action) =>
    guess('action', claim.action, action, { ...claim, action }),
  )
  const fields = Object.entries(CHOICES).flatMap(([field, choices]) =>
    otherChoices(choices, content[field]).map((value) =>
      guess(field, String(content[field]), value, { ...claim, content: { ...content, [field]: value } }),
    ),
  )
  return [...actions, ...fields, ...content.annotations.map((_, at) => answerGuess(claim, at))]
}

function otherChoices(choices: readonly string[], receivedValue: unknown): string[] {
  return choices.filter((choice) => choice !== receivedValue)
}

function answerGuess(claim: MessageText, at: number): Guess {
  const { isSatisfied } = claim.content.annotations[at] as Annotation
  const annotations = claim.content.annotations.with(at, {
    ...(claim.content.annotations[at] as Annotation),
    isSatisfied: !isSatisfied,
  })
  const content = { ...claim.content, annotations }
  return guess(`annotations[${at}].isSatisfied`, `${isSatisfied}`, `${!isSatisfied}`, { ...claim, content })
}

function keyGuess(claim: MessageText, payload: AskedPayload): Guess {
  const key = payload.keyBy(claim.content['hash'] === 'md5' ? 'md5' : 'sha256') ?? ''
  const content = { ...claim.content, key }
  return guess('key', String(claim.content['key']), key, { ...claim, content })
}

function guess(field: string, receivedValue: string, signed: string, claim: MessageText): Guess {
  return { field, came: receivedValue, signed, text: JSON.stringify(claim) }
}

/**
 * Maximum number of messages that are searched for the altered field. Each search takes at least 8
 * verifications, another for each annotation, and another if the payload is known.
 */
const MAX_SEARCHED = 100

export interface ExaminedVerdict {
  readonly verdict: Verdict
  readonly alteration?: Alteration | undefined
}

/** Returns a verifier that also finds the altered field of a message, of at most {@link MAX_SEARCHED} messages. */
export function examinerBy(trust: VerifyContext) {
  let searched = 0
  const alterationOf = async (verdict: Verdict) => {
    if (verdict.format !== 'none' || verdict.error.code !== 'SIGNATURE_INVALID') return undefined
    if (!verdict.message || searched++ >= MAX_SEARCHED) return undefined
    return alterationIn(verdict.message, trust)
  }
  return async (found: readonly FoundMessage[]): Promise<ExaminedVerdict[]> => {
    const examined: ExaminedVerdict[] = []
    for (const verdict of await verdictsOn(found, trust))
      examined.push({ verdict, alteration: await alterationOf(verdict) })
    return examined
  }
}
