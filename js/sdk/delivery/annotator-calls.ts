import { type AlvariumError, describe, expected } from '../../foundation/base/errors.js'
import { isWellFormed } from '../../foundation/base/text/text.js'
import { MaxBytes } from '../../foundation/core/core.js'
import type { Call } from '../../foundation/model/call.js'
import type { Digestion, HashInput } from '../../foundation/model/payload.js'
import type { PayloadContext } from '../../signing/annotators/annotator.js'
import { type AnnotatorSet, payloadGuard, type Question } from '../../signing/annotators/annotator-set.js'
import type { Sealer } from '../../signing/seal/sealer.js'
import type { AnyContext } from './context.js'
import { type ReadQuestion, readAll } from './read-payloads.js'

const encoder = new TextEncoder()

/** Maker of calls that are ready to be signed: asks the annotators about payloads, and adds their answers. */
export class AnnotatorCalls {
  readonly #annotators: AnnotatorSet
  readonly #sealer: Pick<Sealer, 'prepare'>
  #lastTag: { readonly text?: string; readonly bytes?: Uint8Array } = {}

  constructor(annotators: AnnotatorSet, sealer: Pick<Sealer, 'prepare'>) {
    this.#annotators = annotators
    this.#sealer = sealer
  }

  /**
   * Asks the annotators, and returns the call with their answers. Hashes the payload early if the caller may
   * change the bytes before the last answer, or before the call is signed.
   *
   * @param isPaced - true if the call is signed in a later turn of the event loop
   */
  ask(
    question: Question & PayloadContext,
    inputs: AnyContext,
    isPaced: boolean,
    given?: HashInput,
  ): Call | Promise<Call> {
    const { action, payload, previousPayload } = question
    const { transfer = false } = inputs
    const tag = this.#tagOf(inputs)
    const assertWhole = payloadGuard(question)
    const actionBits = this.#annotators.bitsFor(action)
    const answers = this.#annotators.ask(actionBits, question, inputs)
    const isLate = typeof answers !== 'number'
    if (!given) assertWhole()
    // The bundle is about the bytes at the time of the call, but a caller may reuse its buffer while annotators work.
    const mayChange = (isLate || isPaced) && !transfer
    const input = given ?? this.#sealer.prepare(payload, mayChange)
    const previous = previousPayload && this.#sealer.prepare(previousPayload, mayChange)
    const call = (bits: number): Call => {
      return { action, payload: input, previous, annotatorBits: actionBits, answers: bits, transfer, tag }
    }
    if (!isLate) return call(answers)
    return answers.then((bits) => {
      // Check a transferred payload after the answers, because it was not copied: annotators can resize it.
      if (transfer && !given) assertWhole()
      return call(bits)
    })
  }

  /**
   * Asks the annotators about payloads that are read from sources. Immediately asks the annotators that need
   * neither the payload nor its key. Asks the others after the last byte.
   *
   * @throws AlvariumError `PAYLOAD_INVALID` when an annotator needs the payload's bytes; nothing is read
   *   then. Also throws as `digestSource` does
   */
  async askAfter(given: ReadQuestion, inputs: AnyContext, digestion: Digestion): Promise<Call> {
    const { action } = given
    const actionBits = this.#annotators.bitsFor(action)
    this.#annotators.assertReadable(actionBits, inputs)
    const early = actionBits & this.#annotators.bitsBeforeReading
    const tag = this.#tagOf(inputs)
    const reading = readAll(given, digestion, (bytes) => this.#sealer.prepare(bytes, true))
    const first = this.#annotators.ask(early, { action, payload: undefined }, inputs)
    const { forCore, forAnnotators } = await reading
    const assertWhole = payloadGuard(forAnnotators)
    const last = await this.#annotators.ask(actionBits & ~early, { action, ...forAnnotators }, inputs)
    assertWhole()
    return { action, ...forCore, annotatorBits: actionBits, answers: last | (await first), tag }
  }

  /** Encodes the tag of a call. Remembers the last tag, because many calls have the same one. */
  #tagOf({ tag }: AnyContext): Uint8Array | undefined {
    if (tag === undefined) return undefined
    if (tag !== this.#lastTag.text) this.#lastTag = { text: tag, bytes: encodeTag(tag) }
    return this.#lastTag.bytes
  }
}

/** @throws AlvariumError `CONFIG_INVALID` when no bundle can hold the tag */
function encodeTag(tag: unknown): Uint8Array {
  if (typeof tag !== 'string') throw invalid('a string', describe(tag))
  if (tag.length > MaxBytes.Tag) throw invalid(`at most ${MaxBytes.Tag} bytes`, `${tag.length} characters`)
  if (!isWellFormed(tag)) throw invalid('a string without lone surrogates', JSON.stringify(tag))
  const bytes = encoder.encode(tag)
  if (bytes.length > MaxBytes.Tag) throw invalid(`at most ${MaxBytes.Tag} bytes`, `${bytes.length}`)
  return bytes
}

function invalid(expectation: string, got: string): AlvariumError {
  return expected('CONFIG_INVALID', 'context.tag', expectation, got)
}
