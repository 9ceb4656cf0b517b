import * as v from 'valibot'
import { contentOf, messageOf } from '../base/options/message.js'
import { oneOf, strict } from '../base/options/schema.js'
import { Longest } from '../core/core.js'
import { isPayloadKey } from '../core/input-leaves.js'
import { HASHES, type Input } from '../model/bundle.js'
import { count, hash, path } from './reading.js'

/** A proof, taken apart. Nothing of it is verified. */
export interface InputProof {
  /** Place of the input, from 0. */
  readonly index: number
  readonly input: Input
  /** Hashes on the way up to the root, in base64. */
  readonly path: string
  /** The message of the bundle without its inputs. */
  readonly bundle: ShortMessage
}

/** A message whose bundle has the size and the root of its inputs, as far as that is looked at here. */
export interface ShortMessage {
  readonly content: { readonly inputs: { readonly size: number; readonly root: string } }
}

/** FORMAT.md, Proofs of an input. */
const TYPE = 'alvarium.InputProof/1'

const payload = v.pipe(
  strict({ hash: oneOf(HASHES), key: v.string('a string') }),
  v.check(isPayloadKey, 'a payload by its hash and a key of it'),
)
const input = v.union([payload, strict({ set: hash })], 'hash and key, or set')
/** The core reads it, as strictly as every message. */
const bundle = v.custom<ShortMessage>((given) => typeof given === 'object' && given !== null, 'a message')

const KIND = {
  type: TYPE,
  content: strict({ index: count, input, path, bundle }),
  longest: Longest.Message,
  name: 'proof',
}

/** @throws AlvariumError `MESSAGE_MALFORMED` */
export function readInputProof(message: Uint8Array): InputProof {
  return contentOf(message, KIND)
}

/** The bytes of its message. */
export function writeInputProof({ index, input, path, bundle }: InputProof): Uint8Array {
  return messageOf(TYPE, { index, input, path, bundle })
}
