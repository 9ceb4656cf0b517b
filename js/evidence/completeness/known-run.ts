import type { LogSize } from '../logs/size.js'
import type { RunName } from './report.js'
import { RunSnapshot } from './run-moment.js'
import type { Checkpoint } from './text.js'

/** Checkpoints of a run, in any order. Nothing is ever removed, so a {@link RunSnapshot} need not copy it. */
export class KnownRun {
  readonly numbers = new Map<number, Checkpoint>()
  readonly roots = new Map<number, { root: string; at: number }>()
  readonly forks = new Set<number>()
  added = 0
  readonly #name: RunName
  #lastSnapshot: RunSnapshot | undefined

  constructor(name: RunName) {
    this.#name = name
  }

  add(checkpoint: Checkpoint): void {
    this.added++
    const known = this.numbers.get(checkpoint.number)
    for (const size of [checkpoint, checkpoint.from]) this.#addRoot(size)
    if (!known) this.numbers.set(checkpoint.number, checkpoint)
    else if (!isSame(textOf(known), textOf(checkpoint))) {
      this.forks.add(Math.min(known.size, checkpoint.size))
    }
    this.#lastSnapshot = undefined
  }

  #addRoot({ size, root }: LogSize): void {
    const known = this.roots.get(size)
    if (!known) this.roots.set(size, { root, at: this.added })
    else if (known.root !== root) this.forks.add(size)
  }

  /** Snapshot of the run: later additions do not appear in it. */
  get snapshot(): RunSnapshot {
    this.#lastSnapshot ??= new RunSnapshot(this.#name, this)
    return this.#lastSnapshot
  }
}

/** Returns the signed members of a checkpoint, in any order. */
function textOf(checkpoint: Checkpoint): unknown[] {
  const { size, root, number, from, peaks, after, at, entries, pending, refused, isLast } = checkpoint
  const before = after && [after.run, after.size, after.root]
  const log = [size, root, number, from.size, from.root, from.at, peaks]
  return [...log, before, at, entries, pending, refused, isLast]
}

/** Returns whether two values of JSON are the same. The first difference decides, and the lengths of lists before their items. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => isSame(Reflect.get(one, name), Reflect.get(other, name)))
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
