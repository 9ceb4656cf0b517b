import * as v from 'valibot'
import { type LogCheckpoint, readCheckpoint } from '../../evidence/logs/checkpoint.js'
import { logVerifier } from '../../evidence/logs/key.js'
import { followPath, hasOnlyGrown, isHash, parent } from '../../evidence/logs/paths.js'
import {
  quorumMembers,
  type ReadQuorum,
  readQuorumIfAny,
  type WitnessQuorum,
} from '../../evidence/witness/options.js'
import { WitnessedLog, type WitnessVerdict } from '../../evidence/witness/witnessed-log.js'
import { fromBase64, toBase64 } from '../../foundation/base/bytes/base64.js'
import { toBytes, toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, expected } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { quote, readDecimal } from '../../foundation/base/text/text.js'
import { HASH_BYTES, leavesOf } from '../../foundation/core/tree.js'

// Format of a proof: C2SP tlog-proof, https://c2sp.org/tlog-proof

const FIRST = 'c2sp.org/tlog-proof@v1'
const INDEX = 'index '
/** Maximum number of hashes in a proof. A log of 2^53 entries needs fewer. */
const MAX_HASHES = 64

/** Result of verifying that an entry is in a log. */
export interface VerifiedInclusion extends LogCheckpoint {
  /** Position of the entry in the log. */
  readonly index: number
  /** Verdict of the witnesses: the time by which the entry was in the log. Undefined without `witnesses`. */
  readonly witnessed?: WitnessVerdict | undefined
}

/** Id of an entry, and the public keys that verify the proof. */
export interface LogProofOptions extends Omit<WitnessQuorum, 'witnesses'> {
  /** Public keys of witnesses. Default: no witness needs to see the checkpoint. */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
  /** Id of the bundle or pruning. */
  readonly id: string
  /** Public key of the log, `origin+id+key`, from `store.vkey`. */
  readonly vkey: string
}

const schema = strict({ id: v.string('an id'), vkey: v.string("a log's public key"), ...quorumMembers })

/** Writes a proof as text. A verifier needs only the text, the entry's id and the log's public key. */
export function writeProof(index: number, path: readonly Uint8Array[], note: string): string {
  return `${[FIRST, `index ${index}`, ...path.map(toBase64)].join('\n')}\n\n${note}`
}

/**
 * Verifies that a bundle or a pruning is in the log of a store, by a proof of `store.prove`. The call needs
 * no store. A bundle that was pruned since is still in the log.
 *
 * @param proof - C2SP tlog-proof
 * @param options - the id of the bundle or pruning, and the log's public key from `store.vkey`. With
 * `witnesses`, a quorum of them must have seen the checkpoint
 * @throws AlvariumError `MESSAGE_MALFORMED`; `SIGNATURE_INVALID`, also for the cosignature of one of the
 * witnesses; `PROOF_INVALID` if the proof does not show that the bundle is in the log; `WITNESSES_MISSING` if
 * fewer witnesses than the quorum have seen the checkpoint; `CONFIG_INVALID` for an invalid id or public key
 *
 * @example
 * ```ts
 * import { verifyLogProof } from 'alvarium-sdk/store'
 *
 * const proof = await store.prove(bundle.id)
 * if (proof !== undefined && store.vkey !== undefined) {
 *   const { origin, index, size } = verifyLogProof(proof, { id: bundle.id, vkey: store.vkey })
 *   console.log(`entry ${index} of the ${size} of ${origin}`)
 * }
 * ```
 */
export function verifyLogProof(proof: string, options: LogProofOptions): VerifiedInclusion {
  const { id, vkey, witnesses, quorum } = readOptions(schema, options, 'verifyLogProof')
  const reader = readQuorumIfAny({ witnesses, quorum }, 'verifyLogProof')
  const leaf = idBytes(id)
  const verifier = logVerifier(vkey)
  const end = proof.indexOf('\n\n')
  const [first, second = '', ...rest] = proof.slice(0, Math.max(0, end)).split('\n', MAX_HASHES + 3)
  const index = readDecimal(second.startsWith(INDEX) ? second.slice(INDEX.length) : '')
  const path = rest.map(fromBase64)
  if (first !== FIRST || index === undefined || path.length > MAX_HASHES || !path.every(isHash)) {
    throw expected('MESSAGE_MALFORMED', 'proof', `${FIRST}, an index and hashes in base64`, 'other lines')
  }
  const checkpoint = readCheckpoint(proof.slice(end + 2), verifier)
  const root = rootBy(leavesOf(leaf), index, checkpoint.size, path)
  if (root !== checkpoint.root)
    throw new AlvariumError(
      'PROOF_INVALID',
      'proof: does not lead from the bundle to the root of the checkpoint',
    )
  return { ...checkpoint, index, ...(reader && { witnessed: assertWitnessed(reader, checkpoint) }) }
}

function assertWitnessed(reader: ReadQuorum, checkpoint: LogCheckpoint): WitnessVerdict {
  const log = new WitnessedLog(reader)
  log.add(checkpoint.note, checkpoint)
  const witnessed = log.verdict()
  if (witnessed.outcome === 'holds') return witnessed
  const code = witnessed.outcome === 'does not hold' ? 'SIGNATURE_INVALID' : 'WITNESSES_MISSING'
  throw expected(
    code,
    'proof',
    `a checkpoint that ${reader.quorum} of ${reader.witnesses.length} witnesses have seen`,
    witnessed.says,
  )
}

/** Decodes the id of a log entry, 64 hexadecimal digits. @throws AlvariumError `CONFIG_INVALID` */
export function idBytes(id: string): Uint8Array {
  const bytes = toBytes(id)
  if (bytes?.length === HASH_BYTES) return bytes
  throw expected('CONFIG_INVALID', 'id', 'the id of a bundle, 64 hexadecimal digits', quote(id))
}

/** Computes a Merkle root (RFC 9162 §2.1.3.2). Returns undefined if the path does not have the right length. */
function rootBy(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): string | undefined {
  if (index >= size) return undefined
  let root = leaf
  const isWhole = followPath([index, size - 1], path, (hash, isLeft) => {
    root = isLeft ? parent(hash, root) : parent(root, hash)
  })
  return isWhole ? toHex(root) : undefined
}

/**
 * Verifies that a log has only grown between two checkpoints: RFC 9162 §2.1.4.2. All entries of the older one
 * are in the newer one, including prunings. The call also verifies the signatures of both checkpoints.
 *
 * @param given - both checkpoints as signed notes, the log's `vkey`, and `path` from `store.proveGrowth`,
 * with 64 hexadecimal digits per hash
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNATURE_INVALID`; `PROOF_INVALID` if the path does not show
 * that the log has only grown; `CONFIG_INVALID` for an invalid public key
 *
 * @example
 * ```ts
 * import { verifyLogConsistency } from 'alvarium-sdk/store'
 *
 * const { note: older } = await store.checkpoint()
 * const growth = await store.proveGrowth(older)
 * if (growth && store.vkey !== undefined) {
 *   verifyLogConsistency({ older, newer: growth.checkpoint, path: growth.path, vkey: store.vkey }) // or throws
 * }
 * ```
 */
export function verifyLogConsistency(given: {
  readonly older: string
  readonly newer: string
  readonly path: readonly string[]
  readonly vkey: string
}): void {
  const verifier = logVerifier(given.vkey)
  const [older, newer] = [readCheckpoint(given.older, verifier), readCheckpoint(given.newer, verifier)]
  const path = given.path.map((hex) => toBytes(hex))
  if (path.every(isHash) && hasOnlyGrown(older, newer, path)) return
  throw new AlvariumError('PROOF_INVALID', 'path: does not lead from the older checkpoint to the newer one')
}
