/**
 * Calls and updates between the page and its workers. The page does not load the SDK: all of its code runs in
 * `worker/worker.ts`, which is started once per {@link Role}.
 *
 * - **Calls** go from page to worker and are answered, or fail with {@link Trouble}:
 * `workers.maker.call('annotate', …)`.
 * - **Updates** go from worker to page. Each contains a worker's state; of flows and verdicts, only new ones.
 *   A worker sends at most ten a second, and waits until the page has painted the previous one
 *   (`worker/outbox.ts`). Only lists are bounded.
 *
 * To add a call, add it to its role's interface here and implement it in `worker/<role>.ts`. The types do the
 * rest.
 * Everything here must survive a structured clone: no classes, no functions.
 */
import type { Action, Bundle, VerifiedBundle } from 'alvarium-sdk'
import type { Check, Inspection } from './inspection.ts'
import type { Race, RaceSettings, Surroundings } from './race.ts'
import type { Rule } from './rule.ts'
import type { Trouble } from './trouble.ts'

export type { Trouble } from './trouble.ts'

export type Role = 'maker' | 'verifier' | 'racer'

// ── Connection ────────────────────────────────────────────────────────────────────────────────────────────

/** State of a worker's connection to the broker or, in the serverless build, to the other worker. */
export interface Connection {
  readonly state: 'connecting' | 'online' | 'offline'
  readonly reason?: Trouble
}

export interface Place {
  /** URL of the broker, `ws://` or `wss://`. The serverless build ignores it. */
  readonly url: string
  /** Topic of this browser. Its tabs receive each other's messages and trust each other's keys. */
  readonly topic: string
}

// ── Keys ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Holder of a private key. `core`: the SDK's core. `webcrypto`: the browser, which never exports it. */
export type KeyKind = 'core' | 'webcrypto'

/** Public information about the signing key. The private key stays in the maker. */
export interface KeyInfo {
  readonly kind: KeyKind
  /** Key id in messages, 32 hexadecimal digits. */
  readonly keyId: string
  /** Public key, 64 hexadecimal digits. */
  readonly publicKey: string
  /** True if the key was read from IndexedDB. */
  readonly wasKept: boolean
  /** True if the key is stored for the next visit. */
  readonly isKept: boolean
  /** True if this browser supports non-extractable Ed25519 keys. */
  readonly canUseWebCrypto: boolean
}

// ── Making ────────────────────────────────────────────────────────────────────────────────────────────────

/** Annotators to call. `rule` is the visitor's own annotator. */
export interface Asked {
  readonly src: boolean
  readonly tls: boolean
  readonly pki: boolean
  readonly rule?: Rule | undefined
}

/** One call of the SDK. Only `mutate` has a `previousPayload`. */
export interface Annotate {
  readonly action: Action
  readonly payload: Uint8Array<ArrayBuffer>
  readonly previousPayload?: Uint8Array<ArrayBuffer>
}

/**
 * Duration of a step. Browsers' clocks have steps of 5 µs to 1 ms, so most steps are repeated separately, in
 * groups of runs. The duration is then the mean of the group with the median time. Signing with WebCrypto is
 * timed run by run, and its duration is the median.
 */
export interface Timing {
  /** Microseconds per run. */
  readonly micros: number
  /** Number of measured runs; 1 for the visitor's call itself. */
  readonly runs: number
}

export interface Flow {
  readonly action: Action
  readonly payload: Uint8Array<ArrayBuffer>
  readonly bundle: Bundle
  /** Duration of `keyOf(payload)`, repeated separately. */
  readonly hashing: Timing
  /** Durations of the annotators, repeated separately, in the order of `bundle.annotations`. */
  readonly asking: readonly Timing[]
  /** Signed bytes from `identityBytes(message)`. `identity.ts` splits them into fields. */
  readonly identity: Uint8Array<ArrayBuffer>
  /** Signature, 128 hexadecimal digits. */
  readonly signature: string
  /** Duration of signing with `signBytes` or WebCrypto, including reading the key, repeated separately. */
  readonly signing: Timing
  /** Duration of the whole call, repeated separately with a stream that accepts every message immediately. */
  readonly warm: Timing
  readonly message: Uint8Array<ArrayBuffer>
  /** Duration in the visitor's call from `sdk.create()` until the stream receives the message. */
  readonly sealing: Timing
  /** Duration in the visitor's call from the end of `sealing` until the stream accepts the message. */
  readonly accepting: Timing
}

/** Rate of the simulated sensor: readings per second, or as many as possible. */
export interface Live {
  readonly perSecond: number | 'full'
}

export interface Waiting {
  readonly calls: number
  readonly bytes: number
  /**
   * Time at which the oldest waiting message began to wait, in milliseconds since 1970; undefined if none
   * waits.
   */
  readonly oldestSince?: number
  /** Number of calls refused because too many were waiting, since the page was opened. */
  readonly refused: number
  /** Number of calls sent after waiting, since the page was opened. Includes calls of an earlier page. */
  readonly out: number
  /** True if waiting calls survive the page; false in a second tab and without storage. */
  readonly isKept: boolean
}

/** Signers of the example at the top of the page. */
export type StationName = 'sensor' | 'gateway' | 'service'

/** Message that a station signed about a reading. */
export interface Hop {
  readonly station: StationName
  /** Public key of the station, 64 hexadecimal digits. */
  readonly publicKey: string
  readonly payload: Uint8Array<ArrayBuffer>
  readonly bundle: Bundle
  readonly message: Uint8Array<ArrayBuffer>
}

export interface MakerUpdate {
  /** Connection of the maker. `online` means that messages reach the verifier. */
  readonly connection: Connection
  /** Number of calls accepted since the page was opened. */
  readonly accepted: number
  /** Number of calls that failed since the page was opened. */
  readonly failed: number
  /** State of the queue, which is bounded (`transport/transport.ts`). */
  readonly waiting: Waiting
  /** True if the visitor has cut the connection with {@link MakerCalls.cut}. */
  readonly isCut: boolean
  /** Number of calls accepted in the last second. */
  readonly perSecond: number
  /** True if the simulated sensor is on. */
  readonly isLive: boolean
  /** Newest measured call: each call of the visitor, and four per second of the sensor's. */
  readonly flow?: Flow
  /** Reason why the newest call failed; undefined after a success. */
  readonly trouble?: Trouble
}

export interface MakerCalls {
  /** Opens the maker; must be the first call. Starts to connect (`MakerUpdate.connection`). */
  open(params: { readonly place: Place; readonly asked: Asked }): KeyInfo
  /** Sets the annotators of later calls. */
  ask(asked: Asked): void
  /** Makes one call. Resolves when the stream has accepted the message. Transfer the payloads' buffers. */
  annotate(params: Annotate): Flow
  /** Passes a reading through the stations of the example, within this page, without publishing anything. */
  travel(): Hop[]
  /** Publishes bytes unchanged, as an attacker at the broker could. Signs and counts nothing. */
  send(message: Uint8Array<ArrayBuffer>): void
  /**
   * Reports the verifier's connection. Messages wait for it, because brokers drop messages without a
   * subscription.
   */
  heard(connection: Connection): void
  /** Simulates an outage, during which messages wait in the queue. */
  cut(isCut: boolean): void
  /** Switches the simulated sensor on, or changes its rate. */
  startLive(live: Live): void
  stopLive(): void
  /** Makes a new key and replaces the stored one. */
  newKey(kind: KeyKind): KeyInfo
  /** Returns the private key in 128 hexadecimal digits, as other SDKs store it. Fails for `webcrypto`. */
  exportPrivateKey(): string
  /** Returns a payload for `pki`: a text signed with the current key, `{"seed":…,"signature":…}`. */
  signedSample(seed: string): string
}

// ── Verifying ─────────────────────────────────────────────────────────────────────────────────────────────

/** Result of verifying one message: the bundle, or the failed check. */
export type Verdict = Verified | Rejected

interface Received {
  /** Number of the message, from 1, unique on this page. */
  readonly at: number
  /** Received message. It can be shown, exported and verified elsewhere. A very long message is cut off. */
  readonly message: Uint8Array<ArrayBuffer>
}

export interface Verified extends Received {
  readonly bundle: VerifiedBundle
  /** Milliseconds from the signer's timestamp to the verdict. Both use the clock of this machine. */
  readonly latencyMs: number
  /** True if the message was received during an earlier visit. */
  readonly isRecalled?: boolean
}

export interface Rejected extends Received {
  readonly trouble: Trouble
}

export interface VerifierUpdate {
  readonly connection: Connection
  /** Exact number of verified bundles since the page was opened. */
  readonly verified: number
  readonly rejected: number
  /**
   * New verdicts, oldest first, at most five lists a second. If there are too many, only the newest are sent;
   * `create` bundles are dropped before `mutate` bundles and rejections.
   */
  readonly verdicts: readonly Verdict[]
}

export interface VerifierCalls {
  /** Subscribes; must be the first call. Resolves at once; see `VerifierUpdate.connection`. */
  open(place: Place): void
  /** Trusts one more public key (hexadecimal). A lasting key is also trusted on later visits. */
  trust(key: { readonly publicKey: string; readonly isLasting: boolean }): void
  /** Verifies a message from this page as if it had been received. Returns whether it verified. */
  hear(message: Uint8Array<ArrayBuffer>): boolean
  /** Checks a message of any kind. Never fails: errors are in the result. */
  inspect(check: Check): Inspection
}

// ── Racing ────────────────────────────────────────────────────────────────────────────────────────────────

/** Calls from the page to the racer. Its updates contain the {@link Race} in progress. */
export interface RacerCalls {
  surroundings(): Surroundings
  /** Runs a race until it ends or is stopped. Stops a race in progress first. */
  race(settings: RaceSettings): Race
  stop(): void
}
