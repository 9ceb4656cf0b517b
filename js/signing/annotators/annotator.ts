import type { Action } from '../../foundation/model/bundle.js'
import type { Progress } from '../../foundation/model/payload.js'

/** Question to an annotator. */
export interface AnnotatorContext<Input = unknown> {
  readonly action: Action
  /**
   * Payload, which is not a copy. Do not modify it, and read it before your first `await`, because the caller may reuse its buffer.
   * Undefined if the call was given a source; an annotator that `needs` the payload is not asked then.
   */
  readonly payload: Uint8Array | undefined
  /** Payload key of a source; undefined for annotators that need nothing. */
  readonly key?: string
  /** Number of bytes of a source; undefined for annotators that need nothing. */
  readonly size?: number
  /** Payload before the change; present if the action is `mutate`, unless that was a source. */
  readonly previousPayload?: Uint8Array
  /** Payload key of the source before the change. */
  readonly previousKey?: string
  /** Input of the caller for this annotator's kind: `sdk.transit(payload, { tls: socket })`. */
  readonly input?: Input
  /** Signal that aborts when the answer is late (`annotatorTimeoutMs`), so that you can cancel work in progress. */
  readonly signal?: AbortSignal
}

/** Question to an annotator that needs the payload. */
export interface PayloadContext<Input = unknown> extends AnnotatorContext<Input> {
  readonly payload: Uint8Array
}

/**
 * One check. It answers synchronously or with a promise. An exception, a late answer, and one that is neither true nor false count as not
 * satisfied and are reported, but never stop the call.
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

/** Members of all annotators. */
interface AnnotatorParts<Kind extends string> {
  /** Name of this check in messages, 1 to 255 bytes; `signal`, `transfer`, `tag` and `onProgress` are reserved. */
  readonly kind: Kind
  /** Actions for which the annotator is asked; all of them unless given. */
  readonly actions?: readonly Action[]
}

/** Annotator that reads the payload's bytes. */
export interface PayloadAnnotator<Kind extends string = string, Input = unknown>
  extends AnnotatorParts<Kind> {
  /** Requirement of the payload's bytes: calls with a source reject with `PAYLOAD_INVALID`, before it is read. */
  readonly needs: 'payload'
  /** Returns the answer about one payload. An exception and a late answer count as false and are reported. */
  isSatisfied(context: PayloadContext<Input>): boolean | PromiseLike<boolean>
}

/** Annotator that does not need the payload's bytes. */
export interface KeyAnnotator<Kind extends string = string, Input = unknown> extends AnnotatorParts<Kind> {
  /**
   * Requirement for sources: `key`, which also provides the `size`, so that the annotator is asked after the last byte; or `nothing`, so
   * that it is asked when the call begins. Default `key`.
   */
  readonly needs?: 'key' | 'nothing' | undefined
  /** Returns the answer about one payload. An exception and a late answer count as false and are reported. */
  isSatisfied(context: AnnotatorContext<Input>): boolean | PromiseLike<boolean>
}

/** Annotator with any input. */
export type AnyAnnotator = Annotator<string, never>

/** Options of a call with these annotators, including their inputs by kind. */
export type CallContext<Annotators extends readonly AnyAnnotator[]> = {
  readonly [A in Annotators[number] as A['kind']]?: InputOf<A> | undefined
} & {
  /** Signal that cancels the call, which rejects with the signal's reason. A message in flight may still arrive. */
  readonly signal?: AbortSignal
  /** Callback for the progress of reading sources, as for `keyOf`; for a mutate of two sources, of both. Its exceptions are ignored. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /**
   * True to transfer the payload to a worker of the `pool` instead of copying it, if it fills its whole buffer. The memory is then detached
   * here. Such a call cannot be retried if its worker dies.
   */
  readonly transfer?: boolean
  /**
   * Tag of this call's annotations, by which they can be found: at most 1,024 bytes, instead of the SDK's tag, at every layer. `''` for
   * none. (Java's `tagWriterOverrides`.)
   *
   * @example
   * ```ts
   * await sdk.create(payload, { tag: 'batch-7' })
   * ```
   */
  readonly tag?: string
}

/** Input of an annotator; unknown if the annotator's type is not, as for `Sdk` without type arguments. */
type InputOf<A> = A extends { isSatisfied(context: AnnotatorContext<infer Input>): unknown }
  ? [Input] extends [never]
    ? unknown
    : Input
  : never

/**
 * Kinds of annotations that the Alvarium SDKs know, by the names of the functions that make their annotators here. Yours may have any
 * other. Consumers by the Java and Python SDKs do not know those, or some of these.
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

/** Kind of annotations in {@link KINDS}. */
export type Kind = (typeof KINDS)[keyof typeof KINDS]
