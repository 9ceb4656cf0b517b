import { AlvariumError, describe, expected, MAX_FAULT_LENGTH, textOf } from '../../foundation/base/errors.js'
import { hint, shorten } from '../../foundation/base/options/names.js'
import { isPromiseLike } from '../../foundation/base/time/promises.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { ACTIONS, type Action } from '../../foundation/model/bundle.js'
import type { AnnotatorContext, AnyAnnotator, PayloadContext } from './annotator.js'

type OnFailure = (error: AlvariumError, kind: string) => void

/**
 * Names of a call's options. No annotator may have such a kind, because calls pass inputs by kind in the same
 * object.
 */
export const CALL_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['signal', 'the name of the AbortSignal'],
  ['transfer', 'the option that hands the payload over'],
  ['tag', 'the name of the tag of a call'],
  ['onProgress', 'the function that gets the progress of sources'],
])

interface LateAnswer {
  readonly bit: number
  readonly answer: Promise<boolean>
}

/** Annotators of one SDK. Their answers are the bits of one number: bit n is the answer of annotator n. */
export class AnnotatorSet {
  readonly #annotators: readonly AnyAnnotator[]
  readonly #kinds: readonly string[]
  readonly #inputNames: ReadonlySet<string>
  readonly #timeoutMs: number
  readonly #onFailure: OnFailure
  readonly #bitsByAction: ReadonlyMap<Action, number>
  /** Bit mask of the annotators that can be asked before a source is read. */
  readonly bitsBeforeReading: number

  /** @param otherKinds - kinds of annotators that are not in use, but whose inputs calls may still contain */
  constructor(
    annotators: readonly AnyAnnotator[],
    timeoutMs: number,
    onFailure: OnFailure,
    otherKinds: readonly string[] = [],
  ) {
    this.#annotators = annotators
    this.#kinds = annotators.map(({ kind }) => kind)
    this.#inputNames = new Set([...CALL_OPTIONS.keys(), ...this.#kinds, ...otherKinds])
    this.#timeoutMs = timeoutMs
    this.#onFailure = onFailure
    this.bitsBeforeReading = bitsOf(annotators, ({ needs }) => needs === 'nothing')
    const asked = (action: Action) => bitsOf(annotators, ({ actions }) => actions?.includes(action) ?? true)
    this.#bitsByAction = new Map(ACTIONS.map((action) => [action, asked(action)]))
  }

  /**
   * Returns the bit mask of the annotators that are asked for an action: their `actions` include it, or are
   * missing.
   */
  bitsFor(action: Action): number {
    return this.#bitsByAction.get(action) ?? 0
  }

  /**
   * Asserts that the annotators in `bits` can answer about a source, with these inputs.
   *
   * @throws AlvariumError `PAYLOAD_INVALID` if an annotator needs the payload; `CONFIG_INVALID` for an unknown input
   */
  assertReadable(bits: number, inputs: Readonly<Record<string, unknown>>): void {
    this.#assertKnown(inputs)
    const at = this.#annotators.findIndex(({ needs }, bit) => needs === 'payload' && (bits >>> bit) & 1)
    if (at < 0) return
    const needed = `a Uint8Array for the annotator ${this.#kinds[at]}`
    throw expected('PAYLOAD_INVALID', 'payload', needed, 'a source')
  }

  /**
   * Asks every annotator in `bits`. If all of them answer synchronously, the result is not a promise, so no turn of
   * the event loop passes between the payload and its signature.
   *
   * @throws AlvariumError `CONFIG_INVALID` for an input of a kind that no annotator has
   */
  ask(bits: number, question: Question, inputs: Readonly<Record<string, unknown>>): number | Promise<number> {
    this.#assertKnown(inputs)
    const plain = new QuestionContext(question)
    let answers = 0
    let late: LateAnswer[] | undefined
    for (let bit = 0; bit < this.#annotators.length; bit++) {
      if (((bits >>> bit) & 1) === 0) continue
      const annotator = this.#annotators[bit] as AnyAnnotator
      const input = inputOf(inputs, this.#kinds[bit] as string)
      const context = input === undefined ? plain : new QuestionContext(question, input)
      const answer = this.#askOne(annotator, context)
      if (answer === true) answers |= 1 << bit
      else if (answer !== false) {
        late ??= []
        late.push({ bit, answer: this.#await(annotator, context, answer) })
      }
    }
    return late ? addLateAnswers(answers, late) : answers
  }

  /** Refuses unknown inputs. Otherwise, a misspelled input would be ignored, and its check never made. */
  #assertKnown(inputs: Readonly<Record<string, unknown>>): void {
    for (const kind in inputs) {
      if (this.#inputNames.has(kind) || inputs[kind] === undefined || !Object.hasOwn(inputs, kind)) continue
      const text = `context.${shorten(kind)}: is not the kind of an annotator of this SDK${hint(kind, this.#kinds)}`
      throw new AlvariumError('CONFIG_INVALID', text)
    }
  }

  #askOne(annotator: AnyAnnotator, context: QuestionContext): boolean | PromiseLike<unknown> {
    try {
      // The cast is safe, because an annotator that needs the payload is never asked about a source.
      const answer: unknown = annotator.isSatisfied(context as PayloadContext<never>)
      return isPromiseLike(answer) ? answer : this.#checked(annotator, answer)
    } catch (error) {
      return this.#fail(annotator, `an error: ${textOf(error)}`, error)
    }
  }

  async #await(
    annotator: AnyAnnotator,
    context: QuestionContext,
    answer: PromiseLike<unknown>,
  ): Promise<boolean> {
    try {
      const first = await within(answer, this.#timeoutMs)
      if (first !== TOO_LATE) return this.#checked(annotator, first)
      context.end()
      return this.#fail(annotator, `no answer within ${this.#timeoutMs} ms`)
    } catch (error) {
      return this.#fail(annotator, `an error: ${textOf(error)}`, error)
    }
  }

  #checked(annotator: AnyAnnotator, answer: unknown): boolean {
    return typeof answer === 'boolean' ? answer : this.#fail(annotator, describe(answer))
  }

  #fail(annotator: AnyAnnotator, got: string, cause?: unknown): false {
    const { kind } = annotator
    const shown = got.slice(0, MAX_FAULT_LENGTH)
    this.#onFailure(expected('ANNOTATOR_FAILED', `annotator ${kind}`, 'true or false', shown, cause), kind)
    return false
  }
}

function bitsOf(annotators: readonly AnyAnnotator[], which: (annotator: AnyAnnotator) => boolean): number {
  return annotators.reduce((all, annotator, bit) => (which(annotator) ? all | (1 << bit) : all), 0)
}

/**
 * Returns the input for a kind. Ignores inherited members, because a kind may have a name such as
 * `constructor`.
 */
function inputOf(inputs: Readonly<Record<string, unknown>>, kind: string): unknown {
  return Object.hasOwn(inputs, kind) ? inputs[kind] : undefined
}

/** Awaits the answers that are promises, and adds their bits. These promises never reject. */
async function addLateAnswers(answers: number, late: readonly LateAnswer[]): Promise<number> {
  let all = answers
  for (const { bit, answer } of late) if (await answer) all |= 1 << bit
  return all
}

export type Question = Pick<
  AnnotatorContext,
  'action' | 'payload' | 'key' | 'size' | 'previousPayload' | 'previousKey'
>

/** Question to one annotator. The signal is created on first use, because few annotators read it. */
class QuestionContext implements AnnotatorContext<never> {
  readonly action: Action
  readonly payload: Uint8Array | undefined
  declare readonly key?: string
  declare readonly size?: number
  declare readonly previousPayload?: Uint8Array
  declare readonly previousKey?: string
  declare readonly input?: never
  #end: AbortController | undefined

  constructor(question: Question, input?: unknown) {
    const { action, payload, key, size, previousPayload, previousKey } = question
    this.action = action
    this.payload = payload
    if (key !== undefined) this.key = key
    if (size !== undefined) this.size = size
    if (previousPayload !== undefined) this.previousPayload = previousPayload
    if (previousKey !== undefined) this.previousKey = previousKey
    if (input !== undefined) this.input = input as never
  }

  get signal(): AbortSignal {
    this.#end ??= new AbortController()
    return this.#end.signal
  }

  /** Aborts the signal. Later answers do not count. */
  end(): void {
    this.#end ??= new AbortController()
    this.#end.abort()
  }
}

/**
 * Detects that an annotator transferred or resized a payload's buffer, because other bytes would then be hashed.
 *
 * @returns a function that throws `PAYLOAD_INVALID` when a payload's length has changed
 */
export function payloadGuard({
  payload,
  previousPayload,
}: Pick<Question, 'payload' | 'previousPayload'>): () => void {
  const length = payload?.length ?? 0
  const previousLength = previousPayload?.length ?? 0
  return () => {
    if (payload) assertLength(payload, length)
    if (previousPayload) assertLength(previousPayload, previousLength)
  }
}

function assertLength({ length }: Uint8Array, before: number): void {
  if (length === before) return
  const expectation = `to keep its ${before} bytes until its annotators have answered`
  throw expected(
    'PAYLOAD_INVALID',
    'payload',
    expectation,
    `${length}: its buffer was transferred or resized`,
  )
}
