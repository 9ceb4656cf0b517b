import * as v from 'valibot'
import { expected } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import type { Annotator } from '../../../signing/annotators/annotator.js'
import type { VerifyingKeyInput } from '../../../signing/keys/verifying.js'
import type { StreamProvider } from '../../../transport/streams/stream.js'

/** An entry of a config's `annotators`. `"tpm"` stands for `{ "kind": "tpm" }`. */
export interface AnnotatorEntry {
  readonly kind: string
  /** Options of the annotator. The options of your own annotators are not validated. */
  readonly [member: string]: unknown
}

/** Values for your own functions that create annotators and streams. */
export interface ConfigContext {
  /** Public key of the config, or its replacement. Undefined if there is none, or its file cannot be read. */
  readonly verifyingKey: VerifyingKeyInput | undefined
  readonly logger: Logger
}

/** Your own annotators, by their kind in configs. They replace built-in annotators of the same kind. */
export type AnnotatorTable = Readonly<
  Record<string, (entry: AnnotatorEntry, context: ConfigContext) => Annotator | PromiseLike<Annotator>>
>

/** Your own streams, by type. Each function receives the stream's `config`, which is not validated. */
export type StreamTable = Readonly<
  Record<string, (config: unknown, context: ConfigContext) => StreamProvider | PromiseLike<StreamProvider>>
>

/**
 * Returns the schema of a field that may be missing or null. Null counts as missing, because Go marshals a
 * nil slice as null, and YAML reads an empty field as null.
 */
export function maybe<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.nullish(schema, () => undefined)
}

/**
 * Calls an application's function that makes a part of the SDK: an annotator or a stream.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the part when the function throws
 */
export async function madeBy<Made>(part: string, make: () => Made | PromiseLike<Made>): Promise<Made> {
  try {
    return await make()
  } catch (cause) {
    throw expected('CONFIG_INVALID', part, 'no error from your own function that makes it', undefined, cause)
  }
}
