import * as v from 'valibot'
import { assertBytes, expected } from '../base/errors.js'
import { readOptions, strict } from '../base/options/schema.js'
import { canonicalBytes } from '../base/text/canonical.js'
import { verifyTurns } from '../base/time/turns.js'
import type { JudgingPolicyFile } from '../judge/policy.js'
import { receivedMs } from '../keys/trust-policy.js'
import type { WorkerPool } from '../model/worker-pool.js'
import type { Policy } from '../trust/policy.js'
import { readTrust } from '../trust/read-trust.js'
import { PackJudge } from './judging.js'
import { lineOf } from './lines.js'
import { made as madeSchema, writeManifest } from './manifest.js'
import { type LineKind, LONGEST_LINE, MANIFEST, SCORE, TRUST, VERDICT } from './parts.js'
import { assertFewKeys } from './policies.js'
import { type PackedProof, proofLine } from './proof-line.js'
import { readPackPolicy } from './scoring.js'
import { assertSubject, type PackSubject } from './subject.js'
import { type PackVerdict, verdictBytes } from './verdict.js'
import { LineBuffer, PackWriting } from './writing.js'

/** What goes into a pack beside the messages. */
export interface MakePackOptions {
  /** What the messages are about. The pack says so, and shows it as far as it can: see `PackVerdict.whole`. */
  readonly about: PackSubject
  /**
   * Who may say what, by which the verdict in the pack was reached: as JSON has it, with keys as text. It is your claim; a reader has a policy
   * of its own, or believes yours.
   */
  readonly trust: Policy
  /**
   * How payloads are scored, which is your claim too: a judging policy, as `readPolicy` of `alvarium-sdk/judge` reads it. Not with
   * `layers: 'stack'`, as the messages of a pack have no order. Default: `{ version: 1 }`.
   */
  readonly score?: string | JudgingPolicyFile | undefined
  /** Leases by which keys signed that the policy does not have. At most 1,024 of one issuer count. */
  readonly leases?: Iterable<Uint8Array> | undefined
  /** Checkpoints of the signers: they show what is missing. */
  readonly checkpoints?: Iterable<Uint8Array> | undefined
  /** Messages of sets: that which the pack is about, those with proofs, and signed sets of bundles (`bundlesName`). */
  readonly sets?: Iterable<Uint8Array> | undefined
  /** Proofs about payloads and these sets: `memberProofs` makes those for all payloads of a set. */
  readonly proofs?: Iterable<PackedProof> | undefined
  /** When it is made. Default: now. */
  readonly at?: Date | number | undefined
  /** Verifies in the pool's workers. */
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
 * Makes an evidence pack: one ZIP file with messages, and with what it takes to verify them again. Everything is verified on the way, and the
 * verdict goes into the pack; what does not verify goes into it as well, and the verdict counts it. It takes memory for a part of
 * the messages, and 1 kB for each bundle.
 *
 * @param messages - as they were received, in JSON: bundles, batches, and messages of the other SDKs. Those that belong to what the pack
 * is about, as `store.export(payload)` gives them, for example
 * @returns the bytes of the file, in pieces; and at its end, the verdict
 * @throws TypeError for a message that is not a `Uint8Array`
 * @throws AlvariumError `CONFIG_INVALID` naming the option, or for what does not fit into a pack (4 GiB; 16 MiB for a message);
 * `KEY_INVALID` for a key of the policy
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
  const score = readPackPolicy(options.score ?? { version: 1 })
  const made = madeAt(options.at)
  // What is judged by is what the pack has, as another reader will read it.
  assertFewKeys(options.trust, 'CONFIG_INVALID')
  const trust = canonicalBytes(options.trust)
  const keyring = await readTrust(new TextDecoder().decode(trust))
  const judge = await PackJudge.open({ keyring, score, pool, isOwnPolicy: true, maxStatements: 0 })
  try {
    const making = new PackMaking(judge)
    yield* making.policies(new TextEncoder().encode(score.json), trust)
    yield* making.lines('leases', leases)
    yield* making.lines('checkpoints', checkpoints)
    yield* making.lines('sets', sets)
    yield* making.lines('proofs', linesOf(proofs))
    yield* making.lines('messages', messages)
    return yield* making.end(about, made)
  } finally {
    judge.close()
    await keyring.close()
  }
}

/** @throws AlvariumError `CONFIG_INVALID` for a year of more than four digits, which a manifest has no form for */
function madeAt(at: Date | number | undefined): string {
  return readOptions(madeSchema, new Date(receivedMs(at, 'at') ?? Date.now()).toISOString(), 'at')
}

function* linesOf(proofs: Iterable<PackedProof>): Generator<Uint8Array, void> {
  for (const proof of proofs) yield proofLine(proof)
}

/** A pack on its way: what is written is verified. */
class PackMaking {
  readonly #writing = new PackWriting()
  readonly #judge: PackJudge

  constructor(judge: PackJudge) {
    this.#judge = judge
  }

  *policies(score: Uint8Array, trust: Uint8Array): Generator<Uint8Array, void> {
    yield* this.#writing.part(SCORE, score)
    yield* this.#writing.part(TRUST, trust)
  }

  async *lines(
    kind: LineKind,
    messages: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void> {
    const buffer = new LineBuffer()
    for await (const message of messages) {
      // What makes them may have nothing to wait for.
      const turn = verifyTurns.takeLong()
      if (turn) await turn
      assertLine(kind, message)
      const lines = buffer.add(lineOf(message))
      if (lines) yield* this.#part(kind, lines)
    }
    yield* this.#part(kind, buffer.take())
  }

  async *#part(kind: LineKind, lines: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
    if (lines.length === 0) return
    await this.#judge.judge(kind, kind, lines)
    yield* this.#writing.lines(kind, lines)
  }

  async *end(about: PackSubject, made: string): AsyncGenerator<Uint8Array, PackVerdict> {
    const { verdict } = await this.#judge.findings(about)
    yield* this.#writing.part(VERDICT, verdictBytes(verdict))
    const { parts } = this.#writing
    yield* this.#writing.part(MANIFEST, writeManifest({ about, made, parts }))
    yield this.#writing.end()
    return verdict
  }
}

function assertLine(kind: LineKind, message: Uint8Array): void {
  assertBytes(message, kind)
  if (message.length > 0 && message.length <= LONGEST_LINE) return
  throw expected('CONFIG_INVALID', kind, `1 to ${LONGEST_LINE} bytes in each`, `${message.length}`)
}
