import * as v from 'valibot'
import { expected } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import type { Annotator } from '../../../signing/annotators/annotator.js'
import type { VerifyingKeyInput } from '../../../signing/keys/verifying.js'
import type { StreamProvider } from '../../../transport/streams/stream.js'

/** An entry of a config's `annotators`: `"tpm"` is `{ "kind": "tpm" }`. */
export interface AnnotatorEntry {
  readonly kind: string
  /** Other members of the entry; for kinds of your own they are not validated. */
  readonly [member: string]: unknown
}

/** Context for functions that make annotators and streams. */
export interface ConfigContext {
  /** Public key of the config, or the one that was given instead; undefined if there is none, or its file cannot be read. */
  readonly verifyingKey: VerifyingKeyInput | undefined
  readonly logger: Logger
}

/** Annotators of your own, by their kind in configs. They have precedence over built-in ones of the same name. */
export type AnnotatorTable = Readonly<
  Record<string, (entry: AnnotatorEntry, context: ConfigContext) => Annotator | PromiseLike<Annotator>>
>

/** Streams of your own, by their type in configs. They receive the `config` next to it, which is not validated. */
export type StreamTable = Readonly<
  Record<string, (config: unknown, context: ConfigContext) => StreamProvider | PromiseLike<StreamProvider>>
>

/**
 * Returns the schema of a member that may be missing, or null, which is the same: Go marshals a nil slice as null, and YAML reads an empty
 * member so.
 */
export function maybe<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.nullish(schema, () => undefined)
}

/**
 * Returns the result of the caller's own function. @throws AlvariumError `CONFIG_INVALID` naming the part, for any error of the function
 */
export async function madeBy<Made>(part: string, make: () => Made | PromiseLike<Made>): Promise<Made> {
  try {
    return await make()
  } catch (cause) {
    throw expected('CONFIG_INVALID', part, 'your own function to make it', undefined, cause)
  }
}
