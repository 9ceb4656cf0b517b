// `alvarium-sdk/judge`: computes how far a payload can be trusted, and its lineage. It adds up verified answers, scores
// them by a policy, and follows mutates back. It does no I/O: verify first, with `alvarium-sdk/verify`.

export { type Ancestor, Confidence, type KnownPayload } from './confidence.js'
export type {
  Dossier,
  Environment,
  EnvironmentName,
  Gap,
  JudgedAncestor,
  JudgedPayload,
  LogPosition,
  LowerLayer,
  Statement,
  TrustApplied,
} from './dossier.js'
export { environmentsOf } from './dossier.js'
export { type DossierOptions, Fabric } from './fabric.js'
export type { Standing } from './own.js'
export { nameOf, type PayloadName } from './payload-name.js'
export { type JudgingPolicy, type JudgingPolicyFile, readPolicy, type TrustRule } from './policy.js'
export { percentOf } from './scale.js'
export type { Answers, ScorePolicy } from './score.js'
export type { Answer } from './share.js'
export {
  type AncestorScore,
  judge,
  judgeInTurns,
  type Score,
  type Verdict,
  verdictBytes,
  type Why,
} from './verdict.js'
export type { Voice } from './voices.js'
