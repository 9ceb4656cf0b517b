/// <reference lib="esnext.disposable" preserve="true" />
// Entry `alvarium-sdk/verify`: verification only, without signing, streams and the options of an SDK.

export { loadAlgorithms } from '../foundation/algorithms/load-algorithms.js'
export { toHex } from '../foundation/base/bytes/hex.js'
export { AlvariumError, type AlvariumErrorOptions, type ErrorCode } from '../foundation/base/errors.js'
export type { OtherAlgorithm } from '../foundation/model/algorithm.js'
export type {
  Action,
  Annotation,
  Bundle,
  HashName,
  Input,
  InputPayload,
  InputSet,
  Layer,
} from '../foundation/model/bundle.js'
export { type Judged, OUTCOMES, type Outcome, outcomeOfCode, worstOf } from '../foundation/model/outcome.js'
export type { Digesting, PayloadSource, Progress, SourceOptions } from '../foundation/model/payload.js'
export { VERDICT_WORDS, type VerdictWord } from '../foundation/model/verdict-words.js'
export type { WorkerPool } from '../foundation/model/worker-pool.js'
export { type Address, recoverKey } from '../signing/keys/ec/recovery.js'
export { type ReadKeyOptions, readKey } from '../signing/keys/file.js'
export type { Jwk } from '../signing/keys/forms/jwk.js'
export type { Point } from '../signing/keys/forms/raw.js'
export { Keyring } from '../signing/keys/keyring.js'
export type { KeyringOptions } from '../signing/keys/keyring-options.js'
export type { LoggedMessages, SignedBy, SignedByLease, TrustPolicy } from '../signing/keys/trust-policy.js'
export { keyIdOf, type VerifyingKeyInput, verifyBytes } from '../signing/keys/verifying.js'
export { type KeyOptions, keyOf } from '../signing/sources/key-of.js'
export { cbor } from '../transport/codecs/cbor.js'
export type { Codec, SyncCodec } from '../transport/codecs/codec.js'
export { json } from '../transport/codecs/json.js'
export type { ClassicAnnotation } from '../verifying/classic/annotation.js'
export type { ClassicDialect } from '../verifying/classic/dialect.js'
export {
  type ClassicMessage,
  type ClassicVerdict,
  type VerifiedAnnotation,
  type VerifyClassicOptions,
  verifyClassic,
} from '../verifying/classic/verify-classic.js'
export {
  type ExtractedBundles,
  extractBundle,
  extractBundles,
  identityBytes,
} from '../verifying/verify/extract.js'
export { type Verification, verifyMessages } from '../verifying/verify/messages.js'
export type { VerifiedBundle, VerifyOptions } from '../verifying/verify/options.js'
export { verifyBatch, verifyMessage } from '../verifying/verify/verify.js'
