// Entry `alvarium-sdk/witness`: witnesses cosign checkpoints, and readers verify their cosignatures.

export { type AskWitnessesOptions, askWitnesses } from './ask-witnesses.js'
export type { SignedState, WitnessReply, WitnessState } from './cosigner.js'
export type { AskedCheckpoint } from './log-witnesses.js'
export { openWitness, type Witness, type WitnessOptions } from './open-witness.js'
export type { AskedWitnesses, WitnessAddress, WitnessQuorum } from './options.js'
export { type VerifyWitnessedOptions, verifyWitnessed } from './verify-witnessed.js'
export type { WitnessAnswer } from './witness-client.js'
export type { WitnessVerdict } from './witnessed-log.js'
