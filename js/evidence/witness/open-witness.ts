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

/** The name and key of a witness, and the logs that it signs. */
export interface WitnessOptions {
  /** The name of the witness: a domain and a path without a scheme, such as `witness.example/w1`. No spaces and no `+`. */
  readonly name: string
  /** A private key of Ed25519. Use it for nothing else, and in one witness alone. */
  readonly signingKey: SignerInput
  /** Public keys of logs, `origin+id+key`, as `store.vkey` has it. Default: none. */
  readonly logs?: readonly string[] | undefined
  /** Public keys of signers with checkpoints: each of their runs is a log. Default: none. */
  readonly signers?: Keyring | readonly VerifyingKeyInput[] | undefined
  /** The place for the last checkpoint of each log. */
  readonly state: WitnessState
}

/** A witness: it signs what a log is at a time, and never two logs of one name. */
export interface Witness {
  /** Public key, for readers: `name+id+key`. */
  readonly vkey: string
  /**
   * Answers a request for `add-checkpoint` (C2SP tlog-witness): the body of a POST.
   *
   * @throws what the state throws; `SIGNER_FAILED`; `STORE_DAMAGED` if the state is not what this witness has signed. Nothing is signed then
   */
  addCheckpoint(body: string): Promise<WitnessReply>
}

/** The page of limits shows it. */
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
 * Opens a witness, for your own server: `alvarium witness` is one that is ready. Others rely on it that it never signs a smaller log after a larger one, and no second
 * log of a name. So its state must survive whatever happens to the process, and no two processes may have the same state or private key.
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
