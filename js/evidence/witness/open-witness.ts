import * as v from 'valibot'
import { needs } from '../../foundation/base/errors.js'
import { hasMethods, readOptions, strict } from '../../foundation/base/options/schema.js'
import { keyringOf } from '../../signing/keys/key-lists.js'
import type { Keyring } from '../../signing/keys/keyring.js'
import { makeReady } from '../../signing/keys/keyring-use.js'
import type { SignerInput } from '../../signing/keys/signer.js'
import type { VerifyingKeyInput } from '../../signing/keys/verifying.js'
import { Cosigner, type WitnessReply, type WitnessState } from './cosigner.js'
import { witnessSigner } from './key.js'
import { WitnessedLogs } from './witnessed-logs.js'

/** Name and key of a witness, the logs that it signs, and its state. */
export interface WitnessOptions {
  /** Name of the witness: a domain and a path, such as `witness.example/w1`, without spaces and `+`. */
  readonly name: string
  /** Ed25519 private key. Use the key in only one witness, and for nothing else. */
  readonly signingKey: SignerInput
  /** Public keys of logs, `origin+id+key`, such as `store.vkey`. Default: none. */
  readonly logs?: readonly string[] | undefined
  /** Public keys of signers that publish checkpoints. The witness signs all of their logs. Default: none. */
  readonly signers?: Keyring | readonly VerifyingKeyInput[] | undefined
  /** Storage for the last signed checkpoint of each log. */
  readonly state: WitnessState
}

/** A witness, which signs checkpoints with a time, and never two contradictory checkpoints of one log. */
export interface Witness {
  /** Public key, for readers: `name+id+key`. */
  readonly vkey: string
  /**
   * Answers a request `add-checkpoint` (C2SP tlog-witness).
   *
   * @param body - text of the POST request
   * @throws errors of `state`; `SIGNER_FAILED`; `STORE_DAMAGED` when this witness did not sign the stored state
   */
  addCheckpoint(body: string): Promise<WitnessReply>
}

/** Valibot schema of {@link WitnessOptions}. */
export const witnessSchema = strict({
  name: v.pipe(v.string('a name'), v.regex(/^[^\s+]{1,255}$/, '1 to 255 characters without spaces and +')),
  signingKey: v.unknown(),
  logs: v.optional(
    v.pipe(v.array(v.string("a log's public key"), 'an array of public keys'), v.maxLength(10_000)),
    [],
  ),
  signers: v.optional(
    v.custom<Keyring | readonly VerifyingKeyInput[]>(
      (value) => typeof value === 'object' && value !== null,
      'a keyring, or an array of public keys',
    ),
  ),
  state: v.custom<WitnessState>(
    (value) => hasMethods(value, 'read', 'write'),
    'a state with read() and write()',
  ),
})

/**
 * Opens a witness for your own server; `alvarium witness` is a complete one. Readers rely on a witness never
 * to sign a smaller log after a larger one. Its state must survive crashes, and only one process may use it.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID`
 *
 * @example
 * ```ts
 * import { openWitness, type WitnessState } from 'alvarium-sdk/witness'
 *
 * async function serve(state: WitnessState, body: string) {
 *   const witness = await openWitness({ name: 'witness.example/w1', signingKey, logs: ['log.example+3ba37e4c+AX…'], state })
 *   const { status, type, body: text } = await witness.addCheckpoint(body)
 *   return new Response(text, { status, headers: { 'Content-Type': type } })
 * }
 * ```
 */
export async function openWitness(options: WitnessOptions): Promise<Witness> {
  const { name, signingKey, logs, signers, state } = readOptions(witnessSchema, options, 'witness')
  const keyring = keyringOf(signers ?? [])
  if (logs.length + keyring.size === 0) throw needs('witness.logs', 'a log or a signer to watch')
  const signer = await witnessSigner(name, signingKey as SignerInput)
  await makeReady(keyring)
  const answering = new Cosigner(signer, new WitnessedLogs(logs, keyring), state)
  return { vkey: signer.vkey, addCheckpoint: (body) => answering.answer(body) }
}
