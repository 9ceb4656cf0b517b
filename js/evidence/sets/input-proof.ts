import * as v from 'valibot'
import { contentOf, messageOf } from '../../foundation/base/options/message.js'
import { oneOf, strict } from '../../foundation/base/options/schema.js'
import { MaxBytes } from '../../foundation/core/core.js'
import { isPayloadKey } from '../../foundation/core/input-leaves.js'
import { HASHES, type Input } from '../../foundation/model/bundle.js'
import { count, hash, path } from './schemas.js'

/** Proof that a payload was made from one input. Nothing in it is verified. */
export interface InputProof {
  /** Position of the input, counted from 0. */
  readonly index: number
  readonly input: Input
  /** Concatenated hashes of the path from the input up to the root, in base64. */
  readonly path: string
  /** Message of the bundle, with the size and root of the inputs instead of the inputs. */
  readonly bundle: ShortMessage
}

/** Other members of the message are not listed here. */
export interface ShortMessage {
  readonly content: { readonly inputs: { readonly size: number; readonly root: string } }
}

/** Message type (FORMAT.md, Proofs of an input). */
const TYPE = 'alvarium.InputProof/1'

const payload = v.pipe(
  strict({ hash: oneOf(HASHES), key: v.string('a string') }),
  v.check(isPayloadKey, 'a payload by its hash and a key of it'),
)
const input = v.union([payload, strict({ set: hash })], 'hash and key, or set')
/** Accepts any object, because the core parses the message strictly. */
const bundle = v.custom<ShortMessage>((given) => typeof given === 'object' && given !== null, 'a message')

const KIND = {
  type: TYPE,
  content: strict({ index: count, input, path, bundle }),
  maxBytes: MaxBytes.Message,
  name: 'proof',
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readInputProof(message: Uint8Array): InputProof {
  return contentOf(message, KIND)
}

export function writeInputProof({ index, input, path, bundle }: InputProof): Uint8Array {
  return messageOf(TYPE, { index, input, path, bundle })
}
