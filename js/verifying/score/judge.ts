// Entry point `alvarium-sdk/judge`: scores payloads by a policy from verified statements, and finds their
// lineage. Does no I/O; verify messages first with `alvarium-sdk/verify`.

export { BundleGraph, type ScoringInputOptions } from './bundle-graph.js'
export { type Ancestor, Confidence, type KnownPayload } from './confidence.js'
export type { EnvironmentScore } from './own-score.js'
export { nameOf, type PayloadName } from './payload-name.js'
export { type JudgingPolicy, type JudgingPolicyFile, readPolicy, type TrustRule } from './policy.js'
export { percentOf } from './scale.js'
export type { Answers, ScorePolicy } from './score-policy.js'
export type {
  Environment,
  EnvironmentName,
  Gap,
  JudgedAncestor,
  JudgedPayload,
  LogPosition,
  LowerLayer,
  ScoringInput,
  Statement,
  TrustApplied,
} from './scoring-input.js'
export { environmentsOf } from './scoring-input.js'
export type { Answer } from './share.js'
export type { SignerAnswer } from './signer-answers.js'
export {
  type AncestorScore,
  judge,
  judgeInTurns,
  type Score,
  type Verdict,
  verdictBytes,
  type Why,
} from './verdict.js'
