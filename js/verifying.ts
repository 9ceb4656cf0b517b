/// <reference lib="esnext.disposable" preserve="true" />
// What only verifies: nothing of streams, options and sealing. All of `alvarium-sdk/verify`, and part of every other entry.

export { loadAlgorithms } from './algorithms/load-algorithms.js'
export { toHex } from './base/bytes/hex.js'
export { AlvariumError, type AlvariumErrorOptions, type ErrorCode } from './base/errors.js'
export type { ClassicAnnotation } from './classic/annotation.js'
export type { ClassicDialect } from './classic/dialect.js'
export {
  type ClassicMessage,
  type ClassicVerdict,
  type VerifiedAnnotation,
  type VerifyClassicOptions,
  verifyClassic,
} from './classic/verify-classic.js'
export { cbor } from './codecs/cbor.js'
export type { Codec, SyncCodec } from './codecs/codec.js'
export { json } from './codecs/json.js'
export { type ReadKeyOptions, readKey } from './keys/file.js'
export type { Jwk } from './keys/jwk.js'
export { Keyring, type KeyringOptions } from './keys/keyring.js'
export type { Point } from './keys/raw.js'
export { type Address, recoverKey } from './keys/recovery.js'
export type { LoggedMessages, SignedBy, SignedByLease, TrustPolicy } from './keys/trust-policy.js'
export { keyIdOf, type VerifyingKeyInput, verifyBytes } from './keys/verifying.js'
export type { OtherAlgorithm } from './model/algorithm.js'
export type {
  Action,
  Annotation,
  Bundle,
  HashName,
  Input,
  InputPayload,
  InputSet,
  Layer,
} from './model/bundle.js'
export { type Judged, OUTCOMES, type Outcome, outcomeOfCode, worstOf } from './model/outcome.js'
export type { Digesting, PayloadSource, Progress, SourceOptions } from './model/payload.js'
export { VERDICT_WORDS, type VerdictWord } from './model/verdict-words.js'
export type { WorkerPool } from './model/worker-pool.js'
export { type KeyOptions, keyOf } from './sources/key-of.js'
export { type ExtractedBundles, extractBundle, extractBundles, identityBytes } from './verify/extract.js'
export { type Verification, verifyMessages } from './verify/messages.js'
export type { VerifiedBundle, VerifyOptions } from './verify/options.js'
export { verifyBatch, verifyMessage } from './verify/verify.js'
