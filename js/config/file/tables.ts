import type { Annotator } from '../../annotators/annotator.js'
import type { Logger } from '../../base/logger.js'
import type { VerifyingKeyInput } from '../../keys/verifying.js'
import type { StreamProvider } from '../../streams/stream.js'

/** An entry of a config's `annotators`: `"tpm"` is `{ "kind": "tpm" }`. */
export interface AnnotatorEntry {
  readonly kind: string
  /** What else stands there; of kinds of your own nobody has checked it. */
  readonly [member: string]: unknown
}

/** What those who make annotators and streams may want to know. */
export interface ConfigContext {
  /** The public key of the config, or the one that was given instead; undefined where neither is, or its file cannot be read. */
  readonly verifyingKey: VerifyingKeyInput | undefined
  readonly logger: Logger
}

/** Annotators of your own, by the kind that configs name them by. They come before ours of the same name. */
export type AnnotatorTable = Readonly<
  Record<string, (entry: AnnotatorEntry, context: ConfigContext) => Annotator | PromiseLike<Annotator>>
>

/** Streams of your own, by the type that configs name them by; they get the `config` beside it, which nobody has checked. */
export type StreamTable = Readonly<
  Record<string, (config: unknown, context: ConfigContext) => StreamProvider | PromiseLike<StreamProvider>>
>
