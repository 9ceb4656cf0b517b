/// <reference lib="esnext.disposable" preserve="true" />
// `alvarium-sdk/verify/ed25519`: verifies messages under Ed25519, and nothing else; the smallest page.

import '#ed25519'
import '#platform'

export { toHex } from '../base/bytes/hex.js'
export { AlvariumError, type ErrorCode } from '../base/errors.js'
export type { Codec, SyncCodec } from '../codecs/codec.js'
export { Keyring, type KeyringOptions } from '../keys/keyring.js'
export type { LoggedMessages, SignedBy, SignedByLease, TrustPolicy } from '../keys/trust-policy.js'
export type { VerifyingKeyInput } from '../keys/verifying.js'
export type {
  Action,
  Annotation,
  Bundle,
  HashName,
  Input,
  InputPayload,
  InputSet,
  Layer,
} from '../model/bundle.js'
export type { VerifiedBundle, VerifyOptions } from '../verify/options.js'
export { verifyBatch, verifyMessage } from '../verify/verify.js'
