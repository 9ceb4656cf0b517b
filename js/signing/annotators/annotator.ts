import type { Action } from '../../foundation/model/bundle.js'
import type { Progress } from '../../foundation/model/payload.js'

/** Question to an annotator: the action, the payload or its key, and the caller's input. */
export interface AnnotatorContext<Input = unknown> {
  readonly action: Action
  /**
   * Payload, which is not a copy. Do not modify it, and read it before your first `await`, because the caller
   * may reuse the buffer. Undefined if the payload is a source. With `needs: 'nothing'`, also undefined if
   * the previous payload is a source. A call with a source rejects if an annotator `needs` the payload.
   */
  readonly payload: Uint8Array | undefined
  /** Payload key of a source. Undefined for annotators with `needs: 'nothing'`. */
  readonly key?: string
  /** Number of bytes of a source. Undefined for annotators with `needs: 'nothing'`. */
  readonly size?: number
  /**
   * Payload before the change, with the action `mutate`. Missing for a source and for a list of inputs, and
   * with `needs: 'nothing'` if the call has a source.
   */
  readonly previousPayload?: Uint8Array
  /** Payload key of the source before the change, with the action `mutate`. */
  readonly previousKey?: string
  /** Input that the call contains for this annotator's kind: `sdk.transit(payload, { tls: socket })`. */
  readonly input?: Input
  /** Signal that aborts when the answer is late (`annotatorTimeoutMs`), so that you can cancel work in progress. */
  readonly signal?: AbortSignal
}

/** Question to an annotator that needs the payload. */
export interface PayloadContext<Input = unknown> extends AnnotatorContext<Input> {
  readonly payload: Uint8Array
}

/**
 * One check of a payload. It answers synchronously or with a promise. An exception, a late answer, and an answer that
 * is neither true nor false count as not satisfied. They are reported, but never stop the call.
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

interface AnnotatorParts<Kind extends string> {
  /** Name of this check in messages, 1 to 255 bytes. `signal`, `transfer`, `tag` and `onProgress` are reserved. */
  readonly kind: Kind
  /** Actions for which the annotator is asked. Default: all actions. */
  readonly actions?: readonly Action[]
}

/** Annotator that reads the bytes of the payload. */
export interface PayloadAnnotator<Kind extends string = string, Input = unknown>
  extends AnnotatorParts<Kind> {
  /** States that the annotator reads the payload. Calls with a source reject with `PAYLOAD_INVALID` at once. */
  readonly needs: 'payload'
  /** Returns the answer about one payload. An exception and a late answer count as false and are reported. */
  isSatisfied(context: PayloadContext<Input>): boolean | PromiseLike<boolean>
}

/** Annotator that does not need the bytes of the payload. */
export interface KeyAnnotator<Kind extends string = string, Input = unknown> extends AnnotatorParts<Kind> {
  /**
   * States what the annotator needs of a source. With `key`, it is asked after the last byte, with the payload key and
   * the `size`. With `nothing`, it is asked when the call begins. Default `key`.
   */
  readonly needs?: 'key' | 'nothing' | undefined
  /** Returns the answer about one payload. An exception and a late answer count as false and are reported. */
  isSatisfied(context: AnnotatorContext<Input>): boolean | PromiseLike<boolean>
}

/** Annotator with an input of any type. */
export type AnyAnnotator = Annotator<string, never>

/** Options of a call to an SDK with these annotators, including the annotators' inputs by kind. */
export type CallContext<Annotators extends readonly AnyAnnotator[]> = {
  readonly [A in Annotators[number] as A['kind']]?: InputOf<A> | undefined
} & {
  /** Signal that cancels the call, which rejects with the signal's reason. A message in flight may still arrive. */
  readonly signal?: AbortSignal
  /**
   * Callback for the progress of reading sources. If both payloads of a mutate are sources, their progress is added up.
   * Errors of the callback are ignored.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /**
   * True to transfer the payload to a worker of the `pool` instead of copying it, if the payload fills its whole
   * buffer. The caller can then no longer use the buffer. The call cannot be retried if the worker dies.
   */
  readonly transfer?: boolean
  /**
   * Tag of this call's annotations, by which they can be found: at most 1,024 bytes. It replaces the SDK's
   * tag, whatever the option `layer` is. `''` removes the tag. (Java's `tagWriterOverrides`.)
   *
   * @example
   * ```ts
   * await sdk.create(payload, { tag: 'batch-7' })
   * ```
   */
  readonly tag?: string
}

/** Type of an annotator's input; `unknown` for an `Sdk` without type arguments. */
type InputOf<A> = A extends { isSatisfied(context: AnnotatorContext<infer Input>): unknown }
  ? [Input] extends [never]
    ? unknown
    : Input
  : never

/**
 * Kinds of annotations that another Alvarium SDK knows too, by the name of the function that creates the annotator
 * here. Your annotators may have other kinds. The Java and Python SDKs know some of these kinds, and no other kinds.
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

/** Kind of an annotation in {@link KINDS}. */
export type Kind = (typeof KINDS)[keyof typeof KINDS]
