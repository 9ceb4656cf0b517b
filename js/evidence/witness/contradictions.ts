import type { LogSize } from '../logs/size.js'
import type { WitnessVerifier } from './key.js'

/** Size and root of a log, with the witnesses that have seen them. */
export interface WitnessedSize extends LogSize {
  /** Times at which witnesses have cosigned this size and root, by the `vkey` of the witness. */
  readonly seenAt: ReadonlyMap<string, CosignedTimes>
}

/** First and last time at which a witness has cosigned one size and root of a log, in seconds since 1970. */
export interface CosignedTimes {
  readonly first: number
  readonly last: number
}

export function withoutContradictory(
  sizes: ReadonlyMap<string, WitnessedSize>,
  witnesses: readonly WitnessVerifier[],
): ReadonlyMap<string, WitnessedSize> {
  const all = [...sizes.values()]
  const liars = new Set(
    witnesses.filter((one) => contradictionsOf(one, all).length > 0).map(({ vkey }) => vkey),
  )
  if (liars.size === 0) return sizes
  const without = ({ seenAt }: WitnessedSize) => new Map([...seenAt].filter(([vkey]) => !liars.has(vkey)))
  return new Map(Array.from(sizes, ([name, one]) => [name, { ...one, seenAt: without(one) }]))
}

/** Returns the contradictions of a witness: two roots of one size, or a smaller log after a larger one. */
export function contradictionsOf({ name, vkey }: WitnessVerifier, sizes: readonly WitnessedSize[]): string[] {
  const signed = sizes
    .flatMap(({ size, seenAt }) => {
      const times = seenAt.get(vkey)
      return times ? [{ size, ...times }] : []
    })
    .sort((one, other) => other.size - one.size)
  const faults: string[] = []
  let earliest: (typeof signed)[number] | undefined
  for (const [at, one] of signed.entries()) {
    if (signed[at - 1]?.size === one.size) faults.push(`${name} has signed two logs of size ${one.size}`)
    else if (earliest && one.last > earliest.first) faults.push(backwardsFault(name, one, earliest))
    if (!earliest || one.first < earliest.first) earliest = one
  }
  return faults
}

function backwardsFault(
  name: string,
  smaller: { readonly size: number; readonly last: number },
  larger: { readonly size: number; readonly first: number },
): string {
  return `${name} has signed size ${smaller.size} at ${shownTime(smaller.last)}, after size ${larger.size} at ${shownTime(larger.first)}`
}

/** Returns a sentence for each size with two roots, which names the witnesses that have seen each root. */
export function forksIn(sizes: readonly WitnessedSize[], witnesses: readonly WitnessVerifier[]): string[] {
  const bySize = new Map<number, WitnessedSize[]>()
  for (const one of sizes) bySize.set(one.size, [...(bySize.get(one.size) ?? []), one])
  return [...bySize].flatMap(([size, logs]) => {
    if (logs.length < 2) return []
    const seen = logs.map(({ root, seenAt }) => {
      const names = witnesses.flatMap(({ name, vkey }) => (seenAt.has(vkey) ? [name] : []))
      return `${root.slice(0, 8)}… seen by ${names.join(' and ') || 'no witness'}`
    })
    return [`the log has two roots at size ${size}: ${seen.join(', ')}`]
  })
}

/** Formats seconds since 1970 as an RFC 3339 time without a fraction, or as a number after the year 9999. */
export function shownTime(seconds: number): string {
  return seconds <= LAST_SECOND
    ? `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`
    : `${seconds} s since 1970`
}

/** 9999-12-31T23:59:59Z, the last second that RFC 3339 can express, in seconds since 1970. */
const LAST_SECOND = 253_402_300_799
