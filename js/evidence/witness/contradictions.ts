// Contradictions in the lines of witnesses about one log.

import type { LogSize } from '../logs/size.js'
import type { WitnessVerifier } from './key.js'

/** A size of a log with one root, and who has seen it. */
export interface WitnessedSize extends LogSize {
  /** Witnesses whose cosignatures verify, each with its times. */
  readonly seenAt: ReadonlyMap<string, CosignedTimes>
}

/** Times at which a witness has signed one text of a log, in seconds since 1970. */
export interface CosignedTimes {
  readonly first: number
  readonly last: number
}

/** Returns logs without the lines of witnesses that contradict themselves. */
export function withoutLiars(
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

/** Returns how a witness contradicts itself: it signed two roots of one size, or a smaller log after a larger one. */
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

/** Returns the sizes for which there are two logs, and who has seen which of them. */
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

/** Formats seconds since 1970: RFC 3339, without a fraction. RFC 3339 has no time after the year 9999. */
export function shownTime(seconds: number): string {
  return seconds <= LAST_SECOND
    ? `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`
    : `${seconds} s since 1970`
}

/** 9999-12-31T23:59:59Z. */
const LAST_SECOND = 253_402_300_799
