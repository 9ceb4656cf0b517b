// Entry point `alvarium-sdk/score`: scores payloads by a policy from verified statements, and finds their
// lineage. Does no I/O; verify messages first with `alvarium-sdk/verify`.

export { BundleGraph, type ScoringInputOptions } from './bundle-graph.js'
export type { EnvironmentScore } from './own-score.js'
export { nameOf, type PayloadName } from './payload-name.js'
export { readPolicy, type ScoringPolicy, type ScoringPolicyFile, type TrustRule } from './policy.js'
export { percentOf } from './scale.js'
export type {
  AncestorStatements,
  Environment,
  EnvironmentName,
  Gap,
  LogPosition,
  LowerLayer,
  PayloadStatements,
  ScoringInput,
  Statement,
  TrustApplied,
} from './scoring-input.js'
export { environmentsOf } from './scoring-input.js'
export type { Answer } from './share.js'
export type { SignerAnswer } from './signer-answers.js'
export {
  type AncestorScore,
  type Score,
  scorePayload,
  scorePayloadInTurns,
  type Verdict,
  verdictBytes,
  type Why,
} from './verdict.js'
