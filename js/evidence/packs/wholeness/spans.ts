import type { VerifiedCheckpoint } from '../../completeness/checkpoint/verify-checkpoint.js'
import type { LogRange, SignerSpan } from '../subject.js'

/** Checkpoints of one run in a pack, in the order of their numbers. No two have the same number. */
export interface PackedRun {
  /** Key id of the key that signed the run's checkpoints. */
  readonly signer: string
  readonly run: string
  readonly checkpoints: readonly [VerifiedCheckpoint, ...VerifiedCheckpoint[]]
}

export interface Coverage {
  /** Range of positions in the log of each run that overlaps the span. */
  readonly parts: readonly LogRange[]
  /** True if checkpoints list every message that was signed between the beginning and the end of the span. */
  readonly isListed: boolean
  /** True if each run names the run before it, back to the run at the beginning of the span. */
  readonly isChain: boolean
}

export function nameOfRun({ signer, run }: Pick<PackedRun, 'signer' | 'run'>): string {
  return `${signer} ${run}`
}

/** Returns how far checkpoints cover a signer's runs in a span of time. All times are by the signer's clock. */
export function coverageOf(all: readonly PackedRun[], span: SignerSpan): Coverage {
  const runs = all.filter((run) => beginOf(run) <= span.until && endOf(run) >= span.from)
  const known = new RunIndex(all)
  const isReached =
    runs.some((run) => beginOf(run) <= span.from) && runs.some((run) => endOf(run) >= span.until)
  const later = runs.filter((run) => beginOf(run) > span.from)
  return {
    parts: runs.map((run) => partOf(run, span)),
    isListed:
      isReached &&
      runs.every((run) => isListed(run, known, span)) &&
      later.every((run) => !run.checkpoints[0].after || known.hasBefore(run)),
    isChain: runs.length - later.length === 1 && later.every((run) => known.hasBefore(run)),
  }
}

const beginOf = ({ checkpoints }: PackedRun) => checkpoints[0].from.at
const lastOf = ({ checkpoints }: PackedRun) => checkpoints.at(-1) as VerifiedCheckpoint
const endOf = (run: PackedRun) => lastOf(run).at

class RunIndex {
  readonly #runs = new Map<string, PackedRun>()
  readonly #followers = new Map<string, VerifiedCheckpoint[]>()

  constructor(all: readonly PackedRun[]) {
    for (const run of all) {
      this.#runs.set(nameOfRun(run), run)
      const [first] = run.checkpoints
      if (!first.after) continue
      const before = nameOfRun({ signer: run.signer, run: first.after.run })
      this.#followers.set(before, [...(this.#followers.get(before) ?? []), first])
    }
  }

  /** Returns the first checkpoint of each run that names `run` as the run before it. */
  followersOf(run: PackedRun): readonly VerifiedCheckpoint[] {
    return this.#followers.get(nameOfRun(run)) ?? []
  }

  /** Returns whether the pack contains the preceding run, with the final size and root that the given run states. */
  hasBefore({ signer, checkpoints: [{ after }] }: PackedRun): boolean {
    const before = after && this.#runs.get(nameOfRun({ signer, run: after.run }))
    return before !== undefined && lastOf(before).size === after?.size && lastOf(before).root === after.root
  }
}

/** Returns whether checkpoints list every message that a run signed in the span. */
function isListed(run: PackedRun, known: RunIndex, span: SignerSpan): boolean {
  const [first] = run.checkpoints
  const last = lastOf(run)
  const followers = known.followersOf(run)
  const isNamed = followers.some(({ after }) => after?.size === last.size && after.root === last.root)
  const isBegun = first.from.size === 0 || first.from.at <= span.from
  const isEnded = last.isLast || last.at >= span.until || isNamed
  return isBegun && isEnded && !hasGap(run, span) && !hasGapAfterLast(last, followers, span)
}

/** Returns whether later runs show that a run signed messages of the span after `last`, its last known checkpoint. */
function hasGapAfterLast(
  last: VerifiedCheckpoint,
  followers: readonly VerifiedCheckpoint[],
  span: SignerSpan,
): boolean {
  const sizeOf = ({ after }: VerifiedCheckpoint) => after?.size ?? 0
  const further = followers.filter((one) => sizeOf(one) > last.size)
  if (further.length === 0 || last.at > span.until) return false
  return (
    further.reduce((largest, one) => (sizeOf(one) > sizeOf(largest) ? one : largest)).from.at >= span.from
  )
}

/** Returns whether messages of the span may lie between two checkpoints that are not consecutive. */
function hasGap({ checkpoints }: PackedRun, { from, until }: SignerSpan): boolean {
  return checkpoints.some((one, at) => {
    const before = checkpoints[at - 1]
    return before && one.from.size !== before.size && before.at <= until && one.from.at >= from
  })
}

function partOf({ signer, run, checkpoints }: PackedRun, span: SignerSpan): LogRange {
  const spanCheckpoints = checkpoints.filter(({ from, at }) => from.at <= span.until && at >= span.from)
  const from = spanCheckpoints.reduce((least, one) => Math.min(least, one.from.size), Number.MAX_SAFE_INTEGER)
  return {
    signer,
    run,
    from,
    until: spanCheckpoints.reduce((maxSize, { size }) => Math.max(maxSize, size), 0),
  }
}
