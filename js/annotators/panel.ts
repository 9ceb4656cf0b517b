import { AlvariumError, describe, textOf } from '../base/errors.js'
import { TOO_LATE, within } from '../base/timeout.js'
import { ACTIONS, type Action } from '../model/bundle.js'
import type { AnnotatorContext, AnyAnnotator } from './annotator.js'

/** Told of every annotator that failed to answer. */
export type OnFailure = (error: AlvariumError, kind: string) => void

/** What an annotator is asked about, before its own input is added. */
export type Question = Pick<AnnotatorContext, 'action' | 'payload' | 'previousPayload'>

/** All annotators of one SDK. Their answers are the bits of a number, annotator n's in bit n. */
export class Panel {
  readonly #annotators: readonly AnyAnnotator[]
  readonly #timeoutMs: number
  readonly #onFailure: OnFailure
  readonly #asked: ReadonlyMap<Action, number>

  constructor(annotators: readonly AnyAnnotator[], timeoutMs: number, onFailure: OnFailure) {
    this.#annotators = annotators
    this.#timeoutMs = timeoutMs
    this.#onFailure = onFailure
    this.#asked = new Map(ACTIONS.map((action) => [action, askedFor(annotators, action)]))
  }

  /** Which annotators an action asks, as bits. */
  askedFor(action: Action): number {
    return this.#asked.get(action) ?? 0
  }

  /**
   * Asks every annotator in `asked`. When all of them answer at once there is no promise, and so no turn of
   * the event loop between the payload and its signature.
   */
  ask(
    asked: number,
    question: Question,
    inputs: Readonly<Record<string, unknown>> | undefined,
  ): number | Promise<number> {
    let answers = 0
    let late: Promise<number>[] | undefined
    for (let bit = 0; bit < this.#annotators.length; bit++) {
      if (((asked >>> bit) & 1) === 0) continue
      const annotator = this.#annotators[bit] as AnyAnnotator
      const answer = this.#askOne(annotator, question, inputOf(inputs, annotator.kind))
      if (answer === true) answers |= 1 << bit
      else if (answer !== false) {
        late ??= []
        late.push(this.#await(annotator, answer).then((isSatisfied) => (isSatisfied ? 1 << bit : 0)))
      }
    }
    return late ? together(answers, late) : answers
  }

  #askOne(annotator: AnyAnnotator, question: Question, input: unknown): boolean | PromiseLike<unknown> {
    try {
      const context = input === undefined ? question : { ...question, input }
      const answer: unknown = annotator.isSatisfied(context as AnnotatorContext<never>)
      return isPromiseLike(answer) ? answer : this.#checked(annotator, answer)
    } catch (error) {
      return this.#fail(annotator, `got an error: ${textOf(error)}`, error)
    }
  }

  async #await(annotator: AnyAnnotator, answer: PromiseLike<unknown>): Promise<boolean> {
    try {
      const first = await within(answer, this.#timeoutMs)
      if (first === TOO_LATE) return this.#fail(annotator, `got none within ${this.#timeoutMs} ms`)
      return this.#checked(annotator, first)
    } catch (error) {
      return this.#fail(annotator, `got an error: ${textOf(error)}`, error)
    }
  }

  #checked(annotator: AnyAnnotator, answer: unknown): boolean {
    return typeof answer === 'boolean' ? answer : this.#fail(annotator, `got ${describe(answer)}`)
  }

  #fail(annotator: AnyAnnotator, got: string, cause?: unknown): false {
    const text = `annotator ${annotator.kind}: expected true or false, ${got}`
    this.#onFailure(new AlvariumError('ANNOTATOR_FAILED', text, { cause }), annotator.kind)
    return false
  }
}

function askedFor(annotators: readonly AnyAnnotator[], action: Action): number {
  const bits = annotators.map(({ actions }, bit) => ((actions?.includes(action) ?? true) ? 1 << bit : 0))
  return bits.reduce((all, bit) => all | bit, 0)
}

/** Only what the caller gave: `constructor` and its like are kinds as good as any other. */
function inputOf(inputs: Readonly<Record<string, unknown>> | undefined, kind: string): unknown {
  return inputs && Object.hasOwn(inputs, kind) ? inputs[kind] : undefined
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

async function together(answers: number, late: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(late)).reduce((all, bit) => all | bit, answers)
}
