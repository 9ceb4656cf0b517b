// `alvarium-sdk/packs`: evidence packs. A pack is one file with messages and everything needed to verify them offline.

export type { Absence, Fate } from '../completeness/absences.js'
export type { ExportedBundles } from './exports/bundles.js'
export { type InTotoOptions, toInToto } from './exports/in-toto.js'
export { toJws } from './exports/jws.js'
export { type OmsFile, type OmsOptions, type OmsSet, toOmsBundle } from './exports/oms.js'
export { type OpenLineageFacets, type OpenLineageOptions, toOpenLineage } from './exports/openlineage.js'
export { toProv } from './exports/prov.js'
export { type SigstoreFile, type SigstoreOptions, toSigstoreBundle } from './exports/sigstore.js'
export { type VerifiedJws, type VerifyJwsOptions, verifyJws } from './exports/verify-jws.js'
export type { PackManifest } from './file/manifest.js'
export type { PackPart } from './file/pack-writer.js'
export type { PackedProof } from './file/packed-proof.js'
export { memberProofs } from './file/packed-proof.js'
export { type MakePackOptions, makePack } from './make-pack.js'
export type { PackSigner, PackStatement } from './pack-statements.js'
export type { LogRange, PackSubject, SignerSpan } from './subject.js'
export type { PackFault } from './tallies.js'
export {
  type PackedLog,
  type PackTally,
  type PackVerdict,
  verdictBytes,
} from './verdict.js'
export type { VerifiedPack, VerifyPackOptions } from './verified-pack.js'
export { readPack, verifyPack } from './verify-pack.js'
export { bundlesName } from './wholeness/packed-sets.js'
export type { PackWholeness, WholeWord } from './wholeness/wholeness.js'
