/**
 * Calls and updates between the page and its workers. The page does not load the SDK: all of its code runs in
 * `worker/worker.ts`, which is started once per {@link Role}.
 *
 * - **Calls** go from page to worker and are answered, or fail with {@link Trouble}: `workers.maker.call('annotate', …)`.
 * - **Updates** go from worker to page: a worker's whole state, ten a second at most, and the worker
 *   waits until the page has painted the one before (`worker/outbox.ts`). They are lossy by design: counters are
 *   exact, lists are bounded.
 *
 * To add a call: add it to its role's interface here, implement it in `worker/<role>.ts`; the types do the rest.
 * Everything here must survive a structured clone: no classes, no functions.
 */
import type { Action, Bundle, VerifiedBundle } from 'alvarium-sdk'
import type { Check, Inspection } from './inspection.ts'
import type { Race, RaceSettings, Surroundings } from './race.ts'
import type { Rule } from './rule.ts'
import type { Trouble } from './trouble.ts'

export type { Trouble } from './trouble.ts'

/** Purpose of a worker. */
export type Role = 'maker' | 'verifier' | 'racer'

// ── Connection ────────────────────────────────────────────────────────────────────────────────────────────

/** State of a worker's connection to the other side: the broker, or without a server the other worker. */
export interface Connection {
  readonly state: 'connecting' | 'online' | 'offline'
  /** Reason why it is offline. */
  readonly reason?: Trouble
}

/** Destination of messages. */
export interface Place {
  /** Address of the broker, `ws://` or `wss://`; the serverless build does not use it. */
  readonly url: string
  /** Topic, one per browser: its tabs receive each other's messages, and trust each other's keys. */
  readonly topic: string
}

// ── Keys ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Kind of a key. `core`: made and held by the SDK's core. `webcrypto`: held by the browser, and never extractable. */
export type KeyKind = 'core' | 'webcrypto'

/** Public facts about the signing key. Its private half stays in the maker. */
export interface KeyInfo {
  readonly kind: KeyKind
  /** Key id in messages: 32 hexadecimal digits. */
  readonly keyId: string
  /** Public key: 64 hexadecimal digits. */
  readonly publicKey: string
  /** True if the key came from IndexedDB and was not made just now. */
  readonly wasKept: boolean
  /** True if the key is stored for the next visit. */
  readonly isKept: boolean
  /** True if this browser can hold a non-extractable Ed25519 key. */
  readonly canUseWebCrypto: boolean
}

// ── Making ────────────────────────────────────────────────────────────────────────────────────────────────

/** Selected annotators, in their order. `rule` is the visitor's own. */
export interface Asked {
  readonly src: boolean
  readonly tls: boolean
  readonly pki: boolean
  readonly rule?: Rule | undefined
}

/** One call of the SDK. `mutate` needs `previousPayload`; other actions have none. */
export interface Annotate {
  readonly action: Action
  readonly payload: Uint8Array<ArrayBuffer>
  readonly previousPayload?: Uint8Array<ArrayBuffer>
}

/**
 * Duration of a step. Clocks in browsers are coarse (5 µs to 1 ms). A step that is `measured on its own` is therefore
 * repeated separately; its duration is the mean of the median batch.
 */
export interface Timing {
  /** Microseconds per run. */
  readonly micros: number
  /** Number of measured runs; 1 for the real call itself. */
  readonly runs: number
}

/** Steps of one call, in their order. */
export interface Flow {
  readonly action: Action
  readonly payload: Uint8Array<ArrayBuffer>
  /** Bundle of the SDK's receipt. */
  readonly bundle: Bundle
  /** Duration of `keyOf(payload)`, measured on its own. */
  readonly hashing: Timing
  /** Durations of the annotators, measured on their own, in the order of `bundle.annotations`. */
  readonly asking: readonly Timing[]
  /** Signed bytes: `identityBytes(message)`. `identity.ts` splits them into fields. */
  readonly identity: Uint8Array<ArrayBuffer>
  /** Signature: 128 hexadecimal digits. */
  readonly signature: string
  /** Duration of `signBytes(key, identity)` or WebCrypto's `sign`, including reading the key, measured on its own. */
  readonly signing: Timing
  /** Duration of the same call, repeated into a stream that accepts everything immediately, measured on its own. */
  readonly warm: Timing
  /** Published bytes. */
  readonly message: Uint8Array<ArrayBuffer>
  /** Duration in the real call from `sdk.create()` until the stream receives the message. */
  readonly sealing: Timing
  /** Duration in the real call from then until the stream has accepted the message (the broker's acknowledgement). */
  readonly accepting: Timing
}

/** Rate of the simulated sensor: readings per second, or as many as possible. */
export interface Live {
  readonly perSecond: number | 'full'
}

/** Calls that wait for the stream. */
export interface Waiting {
  readonly calls: number
  /** Total size of their messages. */
  readonly bytes: number
  /** Time since which the oldest waits, in milliseconds since 1970; absent if none waits. */
  readonly oldestSince?: number
  /** Number of calls refused since the page was opened, because too many waited. */
  readonly refused: number
  /** Number of calls sent after waiting, since the page was opened, including those of an earlier page. */
  readonly out: number
  /** True if the calls outlast the page: not in a second tab, nor without storage. */
  readonly isKept: boolean
}

/** Signers of the story at the top of the page. */
export type StationName = 'sensor' | 'gateway' | 'service'

/** Message that a station of the story signed about a passing reading. */
export interface Hop {
  readonly station: StationName
  /** Public key: 64 hexadecimal digits; each station has its own. */
  readonly publicKey: string
  readonly payload: Uint8Array<ArrayBuffer>
  readonly bundle: Bundle
  readonly message: Uint8Array<ArrayBuffer>
}

/** State of the maker. */
export interface MakerUpdate {
  /** Connection; `online`: messages go out, and the verifier receives them. */
  readonly connection: Connection
  /** Number of calls accepted since the page was opened. */
  readonly accepted: number
  /** Number of calls that failed since the page was opened. */
  readonly failed: number
  /** Data for the queue panel. Bounded, see `transport/transport.ts`. */
  readonly waiting: Waiting
  /** True if the visitor has cut the connection, see {@link MakerCalls.cut}. */
  readonly isCut: boolean
  /** Number of calls accepted in the last second. */
  readonly perSecond: number
  /** True if the sensor is on. */
  readonly isLive: boolean
  /** Newest inspected call: each of the visitor's own, and a sample of the sensor's (four per second). */
  readonly flow?: Flow
  /** Reason why the newest call failed; absent after a success. */
  readonly trouble?: Trouble
}

/** Calls from the page to the maker. */
export interface MakerCalls {
  /**
   * Opens the maker, first of all calls: reads the stored key or makes one, opens the SDK, starts to connect (state:
   * `MakerUpdate.connection`).
   */
  open(params: { readonly place: Place; readonly asked: Asked }): KeyInfo
  /** Sets the annotators of all later calls. */
  ask(asked: Asked): void
  /** Makes one call; resolves when the message was accepted. Transfer the payloads' buffers. */
  annotate(params: Annotate): Flow
  /** Sends a reading past the stations of the story, within this page, without publishing anything. */
  travel(): Hop[]
  /** Publishes these bytes unchanged, as anyone at the broker could: for tampering. Signs and counts nothing. */
  send(message: Uint8Array<ArrayBuffer>): void
  /**
   * Passes on the verifier's connection. Until it is online, messages wait, because a broker keeps none for an unknown
   * subscriber.
   */
  heard(connection: Connection): void
  /** Simulates an outage: meanwhile, messages wait in the queue. */
  cut(isCut: boolean): void
  /** Switches the simulated sensor on, or changes its rate. */
  startLive(live: Live): void
  stopLive(): void
  /** Makes a new key and replaces the stored one. */
  newKey(kind: KeyKind): KeyInfo
  /**
   * Returns the private key in the format of the other Alvarium SDKs' `private.key` (128 hexadecimal digits); fails for
   * `webcrypto`.
   */
  exportPrivateKey(): string
  /** Returns a payload for the `pki` annotator: this text, signed with the current key: `{"seed":…,"signature":…}`. */
  signedSample(seed: string): string
}

// ── Verifying ─────────────────────────────────────────────────────────────────────────────────────────────

/** Result of one message: the bundle, or the failed check. `at` is its unique number. */
export type Verdict = Verified | Rejected

interface Received {
  /** Number of the message: 1 for the first of this page, and so on. */
  readonly at: number
  /**
   * The received message: it verifies anywhere, and can be tampered with, shown and exported. Of a very long one, its
   * beginning.
   */
  readonly message: Uint8Array<ArrayBuffer>
}

export interface Verified extends Received {
  readonly bundle: VerifiedBundle
  /** Milliseconds from the signer's timestamp to the verdict (same machine, so the same clock). */
  readonly latencyMs: number
  /** True if it was received in an earlier visit. */
  readonly isRecalled?: boolean
}

export interface Rejected extends Received {
  readonly trouble: Trouble
}

/** State of the verifier. */
export interface VerifierUpdate {
  readonly connection: Connection
  /** Exact number since the page was opened, at any rate. */
  readonly verified: number
  readonly rejected: number
  /**
   * Verdicts since the last list (at most five lists a second), oldest first. If there are many, only the newest;
   * creates are dropped before mutates and rejections.
   */
  readonly verdicts: readonly Verdict[]
}

/** Calls from the page to the verifier. */
export interface VerifierCalls {
  /** Subscribes; the first of all calls. Resolves immediately; state: `VerifierUpdate.connection`. */
  open(place: Place): void
  /** Trusts another public key (hexadecimal) in addition to earlier ones, and also in later visits if it is lasting. */
  trust(key: { readonly publicKey: string; readonly isLasting: boolean }): void
  /** Handles a message like a received one, for messages that travel within the page. Returns whether it is genuine. */
  hear(message: Uint8Array<ArrayBuffer>): boolean
  /** Checks a message of any kind. Never fails: errors are in the answer. */
  inspect(check: Check): Inspection
}

// ── Racing ────────────────────────────────────────────────────────────────────────────────────────────────

/** Calls from the page to the racer. Its updates are the {@link Race} in progress. */
export interface RacerCalls {
  /** Returns facts about the browser and the libraries. */
  surroundings(): Surroundings
  /** Runs a race until it ends or is stopped. Stops a race in progress first. */
  race(settings: RaceSettings): Race
  stop(): void
}
