// Entry `alvarium-sdk/completeness`: finds signed messages that were not received.

export type { Checkpoints } from '../../signing/seal/log.js'
export { isCheckpoint } from '../../verifying/consume/control-messages.js'
export type {
  BackdatedFinding,
  CompletenessStats,
  Finding,
  FindingAbout,
  ForkedFinding,
  MissingFinding,
  SilentFinding,
} from '../../verifying/consume/findings.js'
export type { CompletenessWatch } from '../../verifying/consume/watch.js'
export type { LogSize } from '../logs/size.js'
export type { Positions } from './checkpoint/ranges.js'
export type { Checkpoint, LogEntry } from './checkpoint/text.js'
export { type VerifiedCheckpoint, verifyCheckpoint } from './checkpoint/verify-checkpoint.js'
export { Completeness, type CompletenessOptions } from './completeness-report.js'
export type { WatchOptions } from './live/options.js'
export { completeness } from './live/watch.js'
export type { Fork, Gap, Missing, RunName, RunReport, SeenRuns, SignerReport, Unlisted } from './report.js'
export { type CheckpointsOptions, checkpoints } from './signing/checkpoints.js'
