/**
 * What the page and its workers say to each other. The page has no SDK: everything of the SDK runs in
 * `worker/worker.ts`, which is spawned once per {@link Role}.
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

/** What a worker is for. */
export type Role = 'maker' | 'verifier' | 'racer'

// ── Connection ────────────────────────────────────────────────────────────────────────────────────────────

/** What becomes of a worker's connection to the other side: the broker, or with no server the other worker. */
export interface Connection {
  readonly state: 'connecting' | 'online' | 'offline'
  /** Why it is offline. */
  readonly reason?: Trouble
}

/** Where messages go. */
export interface Place {
  /** `ws://` or `wss://` address of the broker; not used by the serverless build. */
  readonly url: string
  /** One per browser: its tabs hear each other, and trust each other's keys. */
  readonly topic: string
}

// ── Keys ──────────────────────────────────────────────────────────────────────────────────────────────────

/** `core`: made and held by the SDK's core. `webcrypto`: held by the browser, cannot be extracted by anybody. */
export type KeyKind = 'core' | 'webcrypto'

/** The signing key, without its private half, which stays in the maker. */
export interface KeyInfo {
  readonly kind: KeyKind
  /** 32 hexadecimal digits; names the key in messages. */
  readonly keyId: string
  /** 64 hexadecimal digits. */
  readonly publicKey: string
  /** Whether it came out of IndexedDB rather than being made just now. */
  readonly wasKept: boolean
  /** Whether it is there for the next visit. */
  readonly isKept: boolean
  /** Whether this browser can hold a non-extractable Ed25519 key. */
  readonly canUseWebCrypto: boolean
}

// ── Making ────────────────────────────────────────────────────────────────────────────────────────────────

/** Which annotators are asked, in this order. `rule` is the visitor's own. */
export interface Asked {
  readonly src: boolean
  readonly tls: boolean
  readonly pki: boolean
  readonly rule?: Rule | undefined
}

/** One call of the SDK. `previousPayload` goes with `mutate` and only with it. */
export interface Annotate {
  readonly action: Action
  readonly payload: Uint8Array<ArrayBuffer>
  readonly previousPayload?: Uint8Array<ArrayBuffer>
}

/**
 * A time. Clocks in browsers are coarse (5 µs to 1 ms), so a step that is `measured on its own` is run again and
 * again on the side and this is the median batch's mean.
 */
export interface Timing {
  /** Microseconds per run. */
  readonly micros: number
  /** How many runs were measured; 1: the real call itself. */
  readonly runs: number
}

/** What happened in one call, in the order in which it happened. */
export interface Flow {
  readonly action: Action
  readonly payload: Uint8Array<ArrayBuffer>
  /** What was said, as the SDK's receipt has it. */
  readonly bundle: Bundle
  /** Measured on its own: `keyOf(payload)`. */
  readonly hashing: Timing
  /** Measured on its own, in the order of `bundle.annotations`. */
  readonly asking: readonly Timing[]
  /** Exactly the bytes that were signed: `identityBytes(message)`. `identity.ts` takes them apart. */
  readonly identity: Uint8Array<ArrayBuffer>
  /** 128 hexadecimal digits. */
  readonly signature: string
  /** Measured on its own: `signBytes(key, identity)` or WebCrypto's `sign`, reading the key included. */
  readonly signing: Timing
  /** Measured on its own: the same call, again and again, into a stream that takes everything at once. */
  readonly warm: Timing
  /** Exactly the bytes that were published. */
  readonly message: Uint8Array<ArrayBuffer>
  /** The real call: from `sdk.create()` to the message being handed to the stream. */
  readonly sealing: Timing
  /** The real call: from there until the stream had accepted the message (the broker's acknowledgement). */
  readonly accepting: Timing
}

/** The simulated sensor: how many readings per second, or as many as go. */
export interface Live {
  readonly perSecond: number | 'full'
}

/** Calls that wait for the stream. */
export interface Waiting {
  readonly calls: number
  /** Of their messages. */
  readonly bytes: number
  /** Since when the oldest waits, in milliseconds since 1970; absent while none does. */
  readonly oldestSince?: number
  /** Calls that were refused because too many waited, since the page was opened. */
  readonly refused: number
  /** Calls that have waited and are out, since the page was opened; those of an earlier page are among them. */
  readonly out: number
  /** Whether they outlast the page: not in a second tab, nor where nothing may be stored. */
  readonly isKept: boolean
}

/** Who signs in the story at the top of the page. */
export type StationName = 'sensor' | 'gateway' | 'service'

/** What a station of the story signed about the reading that passed it. */
export interface Hop {
  readonly station: StationName
  /** 64 hexadecimal digits; each station has a key of its own. */
  readonly publicKey: string
  readonly payload: Uint8Array<ArrayBuffer>
  readonly bundle: Bundle
  readonly message: Uint8Array<ArrayBuffer>
}

/** The maker's state. */
export interface MakerUpdate {
  /** `online`: messages go out, and the verifier hears them. */
  readonly connection: Connection
  /** Calls that have been accepted, since the page was opened. */
  readonly accepted: number
  /** Calls that failed, since the page was opened. */
  readonly failed: number
  /** What the queue panel shows. Bounded, see `transport/transport.ts`. */
  readonly waiting: Waiting
  /** Whether the visitor has cut the connection, see {@link MakerCalls.cut}. */
  readonly isCut: boolean
  /** Accepted calls per second over the last second. */
  readonly perSecond: number
  /** Whether the sensor is on. */
  readonly isLive: boolean
  /** The newest call that was looked at: each of the visitor's own, a sample of the sensor's (four per second). */
  readonly flow?: Flow
  /** Why the newest call failed; absent once one succeeds again. */
  readonly trouble?: Trouble
}

/** What the page can ask of the maker. */
export interface MakerCalls {
  /** First of all: reads the kept key or makes one, opens the SDK, starts to connect (state: `MakerUpdate.connection`). */
  open(params: { readonly place: Place; readonly asked: Asked }): KeyInfo
  /** Annotators for the calls from now on. */
  ask(asked: Asked): void
  /** One call; resolves when the message was accepted. Transfer the payloads' buffers. */
  annotate(params: Annotate): Flow
  /** Sends a reading past the stations of the story, within this page; nothing is published. */
  travel(): Hop[]
  /** Publishes these bytes as they are, as anybody at the broker could: for tampering. Nothing is signed, nothing counted. */
  send(message: Uint8Array<ArrayBuffer>): void
  /** The verifier's connection: until it is online, messages wait, because a broker keeps none for who is not there yet. */
  heard(connection: Connection): void
  /** Simulates an outage: while it is cut, messages are held back in the queue. */
  cut(isCut: boolean): void
  /** Switches the simulated sensor on, or changes its rate. */
  startLive(live: Live): void
  stopLive(): void
  /** A new key in place of the kept one. */
  newKey(kind: KeyKind): KeyInfo
  /** The private key as the other Alvarium SDKs' `private.key` (128 hexadecimal digits); fails for `webcrypto`. */
  exportPrivateKey(): string
  /** A payload for the `pki` annotator: this text, signed with the current key: `{"seed":…,"signature":…}`. */
  signedSample(seed: string): string
}

// ── Verifying ─────────────────────────────────────────────────────────────────────────────────────────────

/** What became of one message: the bundle, or which check failed. Number them by `at`: it is unique. */
export type Verdict = Verified | Rejected

interface Received {
  /** 1 for the first message of this page, and so on. */
  readonly at: number
  /** The message as it came: verifies again anywhere, can be tampered with, shown, exported. Of a very long one, its beginning. */
  readonly message: Uint8Array<ArrayBuffer>
}

export interface Verified extends Received {
  readonly bundle: VerifiedBundle
  /** Milliseconds from the signer's time stamp to the verdict (same machine, so the same clock). */
  readonly latencyMs: number
  /** True if it came in an earlier visit. */
  readonly isRecalled?: boolean
}

export interface Rejected extends Received {
  readonly trouble: Trouble
}

/** The verifier's state. */
export interface VerifierUpdate {
  readonly connection: Connection
  /** Since the page was opened; exact, whatever the rate. */
  readonly verified: number
  readonly rejected: number
  /** Verdicts since the last list (five a second at most), oldest first; of many only the newest, but no mutate and no rejection is left out before a create. */
  readonly verdicts: readonly Verdict[]
}

/** What the page can ask of the verifier. */
export interface VerifierCalls {
  /** First of all: subscribes. Resolves at once; state: `VerifierUpdate.connection`. */
  open(place: Place): void
  /** Trusts another public key (hexadecimal) and goes on trusting the earlier ones; if it lasts, in later visits too. */
  trust(key: { readonly publicKey: string; readonly isLasting: boolean }): void
  /** Takes a message as if it had come: for what travels within the page. Whether it is genuine. */
  hear(message: Uint8Array<ArrayBuffer>): boolean
  /** Checks a message of any kind. Never fails: what went wrong is in the answer. */
  inspect(check: Check): Inspection
}

// ── Racing ────────────────────────────────────────────────────────────────────────────────────────────────

/** What the page can ask of the racer. Its updates are the {@link Race} that is under way. */
export interface RacerCalls {
  /** Where and with what it runs. */
  surroundings(): Surroundings
  /** Runs a race to its end, or until it is stopped; a race that is under way is stopped first. */
  race(settings: RaceSettings): Race
  stop(): void
}
