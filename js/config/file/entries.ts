import * as v from 'valibot'
import type { Annotator } from '../../annotators/annotator.js'
import { expected } from '../../base/errors.js'
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

/**
 * A member that may be missing, or null, which is the same: so Go marshals a slice that is nil, and so YAML reads a member behind
 * which nothing stands.
 */
export function maybe<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.nullish(schema, () => undefined)
}

/** What somebody's own function makes of a part of the config. @throws AlvariumError `CONFIG_INVALID` naming the part, whatever it throws */
export async function madeBy<Made>(part: string, make: () => Made | PromiseLike<Made>): Promise<Made> {
  try {
    return await make()
  } catch (cause) {
    throw expected('CONFIG_INVALID', part, 'your own function to make it', undefined, cause)
  }
}
