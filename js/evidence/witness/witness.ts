// `alvarium-sdk/witness`: others sign that they have seen a log.

export type { SignedState, WitnessReply, WitnessState } from './answering.js'
export { type AskWitnessesOptions, askWitnesses } from './ask-witnesses.js'
export type { WitnessAnswer } from './asking.js'
export { openWitness, type Witness, type WitnessOptions } from './open-witness.js'
export type { AskedWitnesses, WitnessAddress, WitnessQuorum } from './options.js'
export type { AskedCheckpoint } from './panel.js'
export type { WitnessVerdict } from './verdict.js'
export { type VerifyWitnessedOptions, verifyWitnessed } from './verify-witnessed.js'
