import type { Action } from '../model/bundle.js'

/** What an annotator is asked about. */
export interface AnnotatorContext<Input = unknown> {
  readonly action: Action
  /** The payload. Not a copy: do not touch it, and look before you first wait, as the caller may use its buffer again. */
  readonly payload: Uint8Array
  /** What the payload was made from; present when the action is `mutate`. */
  readonly previousPayload?: Uint8Array
  /** What the caller gave for this annotator's kind: `sdk.transit(payload, { tls: socket })`. */
  readonly input?: Input
  /** Aborted once an answer would be late (`annotatorTimeoutMs`): what is still under way can end. */
  readonly signal?: AbortSignal
}

/**
 * One check. It answers at once or with a promise; what it throws, and an answer that is neither true nor
 * false or does not come in time, count as not satisfied and are reported, but never stop the call.
 *
 * @example
 * ```ts
 * const inRange = {
 *   kind: 'in-range',
 *   isSatisfied: ({ payload }) => payload[0] < 100,
 * } satisfies Annotator
 * ```
 */
export interface Annotator<Kind extends string = string, Input = unknown> {
  /** The word for this check in messages, 1 to 255 bytes; `signal`, `transfer` and `tag` are taken. */
  readonly kind: Kind
  /** The actions it is asked for; all of them unless given. */
  readonly actions?: readonly Action[]
  /** The answer about one payload. What it throws, and an answer that is late, counts as false and is reported. */
  isSatisfied(context: AnnotatorContext<Input>): boolean | PromiseLike<boolean>
}

/** Any annotator, whatever its input. */
export type AnyAnnotator = Annotator<string, never>

/** What the calls of an SDK with these annotators may carry, by kind. */
export type CallContext<Annotators extends readonly AnyAnnotator[]> = {
  readonly [A in Annotators[number] as A['kind']]?: InputOf<A> | undefined
} & {
  /** Gives the call up: it rejects with the signal's reason. A message on its way may still arrive. */
  readonly signal?: AbortSignal
  /**
   * Hands the payload over: with a `pool` it is transferred to a worker and not copied, if it is all there is in its
   * buffer, and its memory is gone from here. Such a call cannot be tried again when its worker dies.
   */
  readonly transfer?: boolean
  /**
   * What this call's annotations can be found by, at most 1,024 bytes, instead of the SDK's tag; at every layer. `''` for
   * nothing. (Java's `tagWriterOverrides`.)
   *
   * @example
   * ```ts
   * await sdk.create(payload, { tag: 'batch-7' })
   * ```
   */
  readonly tag?: string
}

/** Of an annotator that may be any, no input can be told from another: `Sdk` by itself takes them all. */
type InputOf<A> = A extends { isSatisfied(context: AnnotatorContext<infer Input>): unknown }
  ? [Input] extends [never]
    ? unknown
    : Input
  : never

/**
 * The kinds of annotations that the Alvarium SDKs know, by the names of the functions that make their annotators here. Yours
 * may have any other; of those, and of some here, consumers by the Java and Python SDKs know nothing.
 *
 * @example
 * ```ts
 * annotations.find(({ kind }) => kind === KINDS.sourceCode)
 * ```
 */
export const KINDS = {
  source: 'src',
  tls: 'tls',
  tpm: 'tpm',
  pki: 'pki',
  pkiHttp: 'pki-http',
  checksum: 'checksum',
  sourceCode: 'source-code',
  vulnerability: 'vulnerability',
  sbom: 'sbom',
  mock: 'mock',
} as const

/** One of {@link KINDS}. */
export type Kind = (typeof KINDS)[keyof typeof KINDS]
