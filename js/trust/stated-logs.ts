import type { LoggedMessages } from '../keys/trust-policy.js'
import { type Instant, instantOf } from './instant.js'
import type { Lease } from './lease.js'

/**
 * What lies in the logs that leases state, and since when at the latest (FORMAT.md, A log that a lease states). Checkpoints and leases may
 * come in any order: a checkpoint is proved when the root of its log is, and proves the root of the one before it.
 */
export class StatedLogs {
  /** By the roots of their logs. */
  readonly #checkpoints = new Map<string, Set<LoggedMessages>>()
  /** When each root was stated, in milliseconds since 1970. */
  readonly #roots = new Map<string, number>()
  readonly #leaves = new Map<string, number>()

  /** @param checkpoint - as `verifyCheckpoint` gives it, which has compared its list with its roots; without peaks it proves nothing */
  add(checkpoint: LoggedMessages): void {
    if (!checkpoint.peaks) return
    const root = rootOf(checkpoint, checkpoint)
    const others = this.#checkpoints.get(root) ?? new Set()
    this.#checkpoints.set(root, others.add(checkpoint))
    const at = this.#roots.get(root)
    if (at !== undefined) this.#prove(root, at)
  }

  /** A lease that its issuer has signed, and that the policy allows to state something. */
  state({ keyId: signer, log, from }: Lease): void {
    if (!log) return
    this.#prove(rootOf({ signer, run: log.run }, log), (instantOf(from) as Instant).ms)
  }

  /** When a message was in a stated log, in milliseconds since 1970; nothing if it is in none that is known. */
  statedAt(leaf: string): number | undefined {
    return this.#leaves.get(leaf)
  }

  /** Whether a checkpoint of a log of this root is as good as one that came then. */
  rootStatedAt(checkpoint: Pick<LoggedMessages, 'signer' | 'run' | 'size' | 'root'>): number | undefined {
    return this.#roots.get(rootOf(checkpoint, checkpoint))
  }

  /** Backwards, as far as checkpoints are there. */
  #prove(first: string, at: number): void {
    const left = [first]
    for (let root = left.pop(); root !== undefined; root = left.pop()) {
      this.#roots.set(root, earlier(this.#roots.get(root), at))
      for (const checkpoint of this.#checkpoints.get(root) ?? []) {
        const before = rootOf(checkpoint, checkpoint.from)
        // It may have been proved already, by an earlier lease.
        if (checkpoint.from.size < checkpoint.size && (this.#roots.get(before) ?? at + 1) > at)
          left.push(before)
        for (const { leaf } of checkpoint.entries) {
          if (leaf !== undefined) this.#leaves.set(leaf, earlier(this.#leaves.get(leaf), at))
        }
      }
    }
  }
}

function earlier(known: number | undefined, at: number): number {
  return known === undefined || at < known ? at : known
}

/** Names a log of this size and root. */
function rootOf(
  { signer, run }: Pick<LoggedMessages, 'signer' | 'run'>,
  { size, root }: LoggedMessages['from'],
): string {
  return `${signer} ${run} ${size} ${root}`
}
