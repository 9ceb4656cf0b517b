import type { Action } from '../model/bundle.js'
import type { Progress } from '../model/payload.js'

/** What an annotator is asked about. */
export interface AnnotatorContext<Input = unknown> {
  readonly action: Action
  /**
   * The payload. Not a copy: do not touch it, and look before you first wait, as the caller may use its buffer again. Undefined when the
   * call was given a source, which an annotator that `needs` the payload is never asked about.
   */
  readonly payload: Uint8Array | undefined
  /** The key of a payload that was a source; undefined for annotators that need nothing. */
  readonly key?: string
  /** How many bytes a payload had that was a source; undefined for annotators that need nothing. */
  readonly size?: number
  /** What the payload was made from; present when the action is `mutate`, unless that was a source. */
  readonly previousPayload?: Uint8Array
  /** The key of the source that the payload was made from. */
  readonly previousKey?: string
  /** What the caller gave for this annotator's kind: `sdk.transit(payload, { tls: socket })`. */
  readonly input?: Input
  /** Aborted once an answer would be late (`annotatorTimeoutMs`): what is still under way can end. */
  readonly signal?: AbortSignal
}

/** What an annotator is asked about that needs the payload. */
export interface PayloadContext<Input = unknown> extends AnnotatorContext<Input> {
  readonly payload: Uint8Array
}

/**
 * One check. It answers at once or with a promise; what it throws, and an answer that is neither true nor
 * false or does not come in time, count as not satisfied and are reported, but never stop the call.
 *
 * @example
 * ```ts
 * const inRange = {
 *   kind: 'in-range',
 *   needs: 'payload',
 *   isSatisfied: ({ payload }) => payload[0] < 100,
 * } satisfies Annotator
 * ```
 */
export type Annotator<Kind extends string = string, Input = unknown> =
  | PayloadAnnotator<Kind, Input>
  | KeyAnnotator<Kind, Input>

/** What all annotators have. */
interface AnnotatorParts<Kind extends string> {
  /** The word for this check in messages, 1 to 255 bytes; `signal`, `transfer`, `tag` and `onProgress` are taken. */
  readonly kind: Kind
  /** The actions it is asked for; all of them unless given. */
  readonly actions?: readonly Action[]
}

/** An annotator that looks at the payload's bytes. */
export interface PayloadAnnotator<Kind extends string = string, Input = unknown>
  extends AnnotatorParts<Kind> {
  /** Calls that are given a source then reject with `PAYLOAD_INVALID`, before it is read. */
  readonly needs: 'payload'
  /** The answer about one payload. What it throws, and an answer that is late, counts as false and is reported. */
  isSatisfied(context: PayloadContext<Input>): boolean | PromiseLike<boolean>
}

/** An annotator that can do without. */
export interface KeyAnnotator<Kind extends string = string, Input = unknown> extends AnnotatorParts<Kind> {
  /**
   * What it needs to know of a source: its `key` and `size`, so that it is asked after the last byte; or `nothing`, so that it is asked
   * when the call begins. Default `key`.
   */
  readonly needs?: 'key' | 'nothing' | undefined
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
  /** Told how far sources have been read, as with `keyOf`; of a mutate of two, those of both. What it throws is ignored. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
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
