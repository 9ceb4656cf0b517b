// `alvarium-sdk/judge`: how far can a payload be trusted, and what was it made from? It adds up what was verified, scores it by a
// policy, and follows mutates back. It does no I/O: verify first, with `alvarium-sdk/verify`.

export { type Ancestor, Confidence, type KnownPayload, nameOf, type PayloadName } from './confidence.js'
export type { ScorePolicy } from './score.js'
export { type Answers, percentOf } from './score.js'
