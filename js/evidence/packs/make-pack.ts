import * as v from 'valibot'
import { GroupCollector } from '../../foundation/base/bytes/join.js'
import { assertBytes, expected } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { canonicalBytes } from '../../foundation/base/text/canonical.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { WorkerPool } from '../../foundation/model/worker-pool.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import type { ScoringPolicyFile } from '../../verifying/score/policy.js'
import type { Policy } from '../trust/policy/policy.js'
import { readTrust } from '../trust/read-trust.js'
import { madeTime, type PackManifest, writeManifest } from './file/manifest.js'
import { PackWriter } from './file/pack-writer.js'
import { type PackedProof, proofLine } from './file/packed-proof.js'
import {
  LINES,
  type LineKind,
  lineOf,
  MANIFEST,
  MAX_LINE_BYTES,
  PART_BYTES,
  SCORE,
  TRUST,
  VERDICT,
} from './file/parts.js'
import { readPackPolicy } from './pack-scores.js'
import { PackVerifier } from './pack-verifier.js'
import { assertFewKeys } from './policies.js'
import { assertSubject, type PackSubject } from './subject.js'
import { type PackVerdict, verdictBytes } from './verdict.js'

/** Contents of a pack in addition to the messages, and settings. */
export interface MakePackOptions {
  /**
   * Subject of the messages, which the manifest names. `PackVerdict.whole` says whether evidence shows that the
   * pack has all messages about the subject.
   */
  readonly about: PackSubject
  /**
   * Trust policy that decides the verdict in the pack, as an object in the policy's JSON format, with keys as
   * strings. Readers use this policy or their own.
   */
  readonly trust: Policy
  /**
   * Scoring policy that scores the payloads, as `readPolicy` of `alvarium-sdk/score` reads it. `layers: 'stack'` is
   * not allowed, because the messages of a pack have no order. Default: `{ version: 1 }`.
   */
  readonly score?: string | ScoringPolicyFile | undefined
  /** Leases, for signing keys that are not in the trust policy. At most 10,000 leases count. */
  readonly leases?: Iterable<Uint8Array> | undefined
  /** Checkpoints of the signers, to reveal missing messages. */
  readonly checkpoints?: Iterable<Uint8Array> | undefined
  /**
   * Messages of sealed sets: the set that the pack is about, sets that `proofs` refer to, and sets of all bundles
   * about a payload (see `bundlesName`).
   */
  readonly sets?: Iterable<Uint8Array> | undefined
  /** Proofs that payloads are, or are not, in `sets`. `memberProofs` makes the proofs for all payloads of a set. */
  readonly proofs?: Iterable<PackedProof> | undefined
  /** Time at which the pack is made. Default: now. */
  readonly at?: Date | number | undefined
  /** Worker pool that verifies the messages. */
  readonly pool?: WorkerPool | undefined
}

const schema = strict({
  about: v.unknown(),
  trust: v.unknown(),
  score: v.optional(v.unknown()),
  leases: v.optional(v.unknown()),
  checkpoints: v.optional(v.unknown()),
  sets: v.optional(v.unknown()),
  proofs: v.optional(v.unknown()),
  at: v.optional(v.unknown()),
  pool: v.optional(v.unknown()),
})

/**
 * Makes an evidence pack: one ZIP file with messages and everything needed to verify them again. Verifies
 * every line before writing it, and writes the verdict into the pack. Lines that do not verify are written,
 * too, and the verdict counts them. Needs memory for one part of the messages, and 1 kB for each bundle.
 *
 * @param messages - the received bytes of JSON messages about the subject: bundles, batches, and messages of
 * the other SDKs. `store.export(payload)` returns them, for example
 * @returns the bytes of the file, in pieces; the generator's return value is the verdict
 * @throws TypeError for a message that is not a `Uint8Array`
 * @throws AlvariumError `CONFIG_INVALID` naming the option, also for an invalid key of the policy, or for
 * content that does not fit into a pack (4 GiB; 16 MiB for a message)
 *
 * @example
 * ```ts
 * import { makePack } from 'alvarium-sdk/packs'
 *
 * const trust = { signers: [{ name: 'gateway-1', keys: [keyText] }] }
 * const about = { payload: { hash: 'sha256', key: keyOf(payload) } } as const
 * await writeFile('evidence.zip', makePack([message], { about, trust }))
 * ```
 */
export async function* makePack(
  messages: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  options: MakePackOptions,
): AsyncGenerator<Uint8Array, PackVerdict> {
  readOptions(schema, options, 'makePack')
  const { about, pool, leases = [], checkpoints = [], sets = [], proofs = [] } = options
  assertSubject(about)
  const policy = readPackPolicy(options.score ?? { version: 1 })
  const made = madeAt(options.at)
  // Verify by the policy that the pack contains, exactly as readers will parse it.
  assertFewKeys(options.trust, 'CONFIG_INVALID')
  const trust = canonicalBytes(options.trust)
  const keyring = await readTrust(new TextDecoder().decode(trust))
  const verifier = await PackVerifier.open({
    keyring,
    score: policy,
    pool,
    isOwnPolicy: true,
    maxStatements: 0,
  })
  const lines = { leases, checkpoints, sets, proofs: linesOf(proofs), messages }
  const score = new TextEncoder().encode(policy.json)
  try {
    return yield* writePack(verifier, { about, made, score, trust, lines })
  } finally {
    verifier.close()
    await keyring.close()
  }
}

type MessageSource = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

interface PackContents extends Pick<PackManifest, 'about' | 'made'> {
  readonly score: Uint8Array
  readonly trust: Uint8Array
  readonly lines: Readonly<Record<LineKind, MessageSource>>
}

/** Yields the bytes of a pack. Verifies lines before it writes them. */
async function* writePack(
  verifier: PackVerifier,
  { about, made, score, trust, lines }: PackContents,
): AsyncGenerator<Uint8Array, PackVerdict> {
  const writer = new PackWriter()
  yield* writer.part(SCORE, score)
  yield* writer.part(TRUST, trust)
  for (const kind of LINES) {
    for await (const part of partsOf(kind, lines[kind])) {
      await verifier.verify(kind, kind, part)
      yield* writer.lines(kind, part)
    }
  }
  const { verdict } = await verifier.findings(about)
  yield* writer.part(VERDICT, verdictBytes(verdict))
  yield* writer.part(MANIFEST, writeManifest({ about, made, parts: writer.parts }))
  yield writer.end()
  return verdict
}

/** @throws AlvariumError `CONFIG_INVALID` for a year of more than four digits, which a manifest does not allow */
function madeAt(at: Date | number | undefined): string {
  return readOptions(madeTime, new Date(receivedMs(at, 'at') ?? Date.now()).toISOString(), 'at')
}

function* linesOf(proofs: Iterable<PackedProof>): Generator<Uint8Array, void> {
  for (const proof of proofs) yield proofLine(proof)
}

/** Yields the lines of one kind, in groups that fill a part each. */
async function* partsOf(
  kind: LineKind,
  messages: MessageSource,
): AsyncGenerator<readonly Uint8Array[], void> {
  const grouping = new GroupCollector<Uint8Array>({ count: Number.POSITIVE_INFINITY, bytes: PART_BYTES })
  for await (const message of messages) {
    // Yield to the event loop here, because the caller's generator may never do so.
    const turn = verifyTurns.yieldIfDueLong()
    if (turn) await turn
    assertLine(kind, message)
    const lines = grouping.add(lineOf(message), message.length + 1)
    if (lines) yield lines
  }
  const rest = grouping.take()
  if (rest.length > 0) yield rest
}

function assertLine(kind: LineKind, message: Uint8Array): void {
  assertBytes(message, kind)
  if (message.length > 0 && message.length <= MAX_LINE_BYTES) return
  throw expected('CONFIG_INVALID', kind, `1 to ${MAX_LINE_BYTES} bytes in each`, `${message.length}`)
}
