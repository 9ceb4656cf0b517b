import type { Annotation } from 'alvarium-sdk/verify'
import { ACTIONS, HASHES, LAYERS } from '../../model/bundle.js'
import { verifyReceived } from '../../verify/messages.js'
import type { FoundMessage } from '../messages/found.js'
import type { AskedPayload } from './asked-payload.js'
import { type Verdict, type VerifyContext, verdictsOn } from './verdict.js'

/** A field that was altered: with what was signed in its place, the message verifies. */
export interface Alteration {
  /** For example `annotations[1].isSatisfied`. */
  readonly field: string
  readonly signed: string
  readonly came: string
}

/** A bundle as its message has it; nothing of it is known to be so. */
interface MessageText {
  action: string
  readonly content: { [field: string]: unknown; annotations: Annotation[] }
}

/** Bytes of all guesses at one message: who sends long ones gets less of our time. */
const MOST_GUESSED = 4 * 1024 * 1024

/** What may have stood in a field, of those that have few values. */
const CHOICES: Readonly<Record<string, readonly string[]>> = { layer: LAYERS, hash: HASHES }

/**
 * Which field of a bundle was altered, where that can be told: if one field alone was, of those that have few values, or its key
 * when the payload is at hand. A signature only says that something is not as it was; so this tries what may have been.
 */
async function alterationIn(
  message: Uint8Array,
  { keyring, payload, leases }: VerifyContext,
): Promise<Alteration | undefined> {
  const said = saidIn(message)
  if (!said) return undefined
  if (said.content.annotations.length * message.length > MOST_GUESSED) return undefined
  const guesses = [...guessesAt(said), ...(payload ? [keyGuess(said, payload)] : [])]
  const messages = guesses.map(({ text }) => new TextEncoder().encode(text))
  const outcomes = await verifyReceived(messages, { keyring, leases }, () => undefined)
  return guesses[outcomes.findIndex(({ status }) => status === 'fulfilled')]
}

interface Guess extends Alteration {
  readonly text: string
}

function saidIn(message: Uint8Array): MessageText | undefined {
  const said = JSON.parse(new TextDecoder().decode(message))
  return Array.isArray(said?.content?.annotations) ? said : undefined
}

function guessesAt(said: MessageText): Guess[] {
  const { content } = said
  const actions = others(ACTIONS, said.action).map((action) =>
    guess('action', said.action, action, { ...said, action }),
  )
  const fields = Object.entries(CHOICES).flatMap(([field, choices]) =>
    others(choices, content[field]).map((value) =>
      guess(field, String(content[field]), value, { ...said, content: { ...content, [field]: value } }),
    ),
  )
  return [...actions, ...fields, ...content.annotations.map((_, at) => answerGuess(said, at))]
}

function others(choices: readonly string[], came: unknown): string[] {
  return choices.filter((choice) => choice !== came)
}

function answerGuess(said: MessageText, at: number): Guess {
  const { isSatisfied } = said.content.annotations[at] as Annotation
  const annotations = said.content.annotations.with(at, {
    ...(said.content.annotations[at] as Annotation),
    isSatisfied: !isSatisfied,
  })
  const content = { ...said.content, annotations }
  return guess(`annotations[${at}].isSatisfied`, `${isSatisfied}`, `${!isSatisfied}`, { ...said, content })
}

function keyGuess(said: MessageText, payload: AskedPayload): Guess {
  const key = payload.keyBy(said.content['hash'] === 'md5' ? 'md5' : 'sha256') ?? ''
  const content = { ...said.content, key }
  return guess('key', String(said.content['key']), key, { ...said, content })
}

function guess(field: string, came: string, signed: string, said: MessageText): Guess {
  return { field, came, signed, text: JSON.stringify(said) }
}

/** A search costs some twenty verifications: who sends many altered messages gets no more of our time than for these. */
const MOST_SEARCHED = 100

/** A verdict, and what more could be found out. */
export interface ExaminedVerdict {
  readonly verdict: Verdict
  readonly alteration?: Alteration | undefined
}

/** Verifies messages, and finds out of the first that were altered what was. */
export class MessageJudge {
  readonly #trust: VerifyContext
  #searched = 0

  constructor(trust: VerifyContext) {
    this.#trust = trust
  }

  async judge(found: readonly FoundMessage[]): Promise<ExaminedVerdict[]> {
    const judged: ExaminedVerdict[] = []
    for (const verdict of await verdictsOn(found, this.#trust)) {
      judged.push({ verdict, alteration: await this.#alterationOf(verdict) })
    }
    return judged
  }

  async #alterationOf(verdict: Verdict): Promise<Alteration | undefined> {
    if (verdict.format !== 'none' || verdict.error.code !== 'SIGNATURE_INVALID') return undefined
    if (!verdict.message || this.#searched >= MOST_SEARCHED) return undefined
    this.#searched++
    return alterationIn(verdict.message, this.#trust)
  }
}
