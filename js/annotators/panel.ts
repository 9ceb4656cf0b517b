import { AlvariumError, describe, textOf } from '../base/errors.js'
import { nearest } from '../base/names.js'
import { isPromiseLike } from '../base/promises.js'
import { TOO_LATE, within } from '../base/timeout.js'
import { ACTIONS, type Action } from '../model/bundle.js'
import type { AnyAnnotator } from './annotator.js'
import { Asked, type Question } from './asked.js'

export type { Question } from './asked.js'

/** Told of every annotator that failed to answer. */
export type OnFailure = (error: AlvariumError, kind: string) => void

/** What is no input of an annotator. */
const OF_EVERY_CALL = ['signal', 'transfer', 'tag']
/** Programs have few names. */
const MOST_OTHERS = 100

/** All annotators of one SDK. Their answers are the bits of a number, annotator n's in bit n. */
export class Panel {
  readonly #annotators: readonly AnyAnnotator[]
  readonly #kinds: readonly string[]
  /** Kinds that calls gave inputs for, that are not here, and were nobody's slip. */
  readonly #others = new Set<string>()
  readonly #timeoutMs: number
  readonly #onFailure: OnFailure
  readonly #asked: ReadonlyMap<Action, number>

  constructor(annotators: readonly AnyAnnotator[], timeoutMs: number, onFailure: OnFailure) {
    this.#annotators = annotators
    this.#kinds = annotators.map(({ kind }) => kind)
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
   *
   * @throws AlvariumError `CONFIG_INVALID` for an input whose kind seems to be misspelt
   */
  ask(
    asked: number,
    question: Question,
    inputs: Readonly<Record<string, unknown>>,
  ): number | Promise<number> {
    this.#assertSpelt(inputs)
    const plain = new Asked(question)
    let answers = 0
    let late: Promise<number>[] | undefined
    for (let bit = 0; bit < this.#annotators.length; bit++) {
      if (((asked >>> bit) & 1) === 0) continue
      const annotator = this.#annotators[bit] as AnyAnnotator
      const input = inputOf(inputs, this.#kinds[bit] as string)
      const context = input === undefined ? plain : new Asked(question, input)
      const answer = this.#askOne(annotator, context)
      if (answer === true) answers |= 1 << bit
      else if (answer !== false) {
        late ??= []
        late.push(this.#await(annotator, context, answer).then((isSatisfied) => (isSatisfied ? 1 << bit : 0)))
      }
    }
    return late ? together(answers, late) : answers
  }

  /** Inputs for annotators that are not here are left alone: which ones are, may be somebody else's configuration. */
  #assertSpelt(inputs: Readonly<Record<string, unknown>>): void {
    for (const kind in inputs) {
      if (OF_EVERY_CALL.includes(kind) || this.#kinds.includes(kind) || this.#others.has(kind)) continue
      const meant = nearest(kind, this.#kinds)
      if (meant !== undefined && !Object.hasOwn(inputs, meant)) {
        const text = `context.${kind}: expected the kind of an annotator (${meant}?), got ${describe(inputs[kind])}`
        throw new AlvariumError('CONFIG_INVALID', text)
      }
      if (this.#others.size < MOST_OTHERS) this.#others.add(kind)
    }
  }

  #askOne(annotator: AnyAnnotator, context: Asked): boolean | PromiseLike<unknown> {
    try {
      const answer: unknown = annotator.isSatisfied(context)
      return isPromiseLike(answer) ? answer : this.#checked(annotator, answer)
    } catch (error) {
      return this.#fail(annotator, `got an error: ${textOf(error)}`, error)
    }
  }

  async #await(annotator: AnyAnnotator, context: Asked, answer: PromiseLike<unknown>): Promise<boolean> {
    try {
      const first = await within(answer, this.#timeoutMs)
      if (first !== TOO_LATE) return this.#checked(annotator, first)
      context.end()
      return this.#fail(annotator, `got none within ${this.#timeoutMs} ms`)
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
function inputOf(inputs: Readonly<Record<string, unknown>>, kind: string): unknown {
  return Object.hasOwn(inputs, kind) ? inputs[kind] : undefined
}

async function together(answers: number, late: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(late)).reduce((all, bit) => all | bit, answers)
}
