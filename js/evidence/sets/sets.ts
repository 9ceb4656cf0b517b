// `alvarium-sdk/sets`: one signature over any number of payloads, and proofs that a set contains a payload or
// lacks it.

export { isSet } from '../../verifying/consume/control-messages.js'
export type { SetItem } from './entry.js'
export { KeyList, type KeyListOptions, openKeyList } from './key-list.js'
export { Manifest } from './manifest.js'
export type { ManifestStatement } from './manifest-message.js'
export { type ManifestSource, type OpenManifestOptions, openManifest } from './open-manifest.js'
export { proveAbsent, proveMember, proveRecord } from './prove.js'
export { proveInput } from './prove-input.js'
export { proveUpdate } from './prove-update.js'
export { type SealedSet, type SealSetOptions, sealManifest, sealSet } from './seal.js'
export type { SetStatement } from './statement.js'
export { type VerifiedInput, type VerifyInputOptions, verifyInput } from './verify-input.js'
export {
  type VerifiedManifest,
  type VerifiedRecord,
  type VerifyManifestOptions,
  verifyManifest,
  verifyRecord,
} from './verify-manifest.js'
export { type VerifiedAbsence, type VerifiedMember, verifyAbsent, verifyMember } from './verify-proof.js'
export { type VerifiedSet, type VerifySetOptions, verifySet } from './verify-set.js'
export { type VerifiedUpdate, type VerifyUpdateOptions, verifyUpdate } from './verify-update.js'
