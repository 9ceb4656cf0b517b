import type { Gap } from '../report.js'

/** A part of a log without a checkpoint, and what came of it. */
export interface LiveGap extends Gap {
  /** Whether what did not come is missing, and not unknown. */
  isJudged: boolean
  /** Whether it is the beginning of a run, and nobody knows when that began: what came of it is as unknown as the rest. */
  readonly isOpen?: boolean | undefined
  /** When it was found, in milliseconds since 1970. */
  readonly foundAt: number
  /** So many messages of it are not there, as far as is known. */
  absent: number
  isTold: boolean
}

/** Takes out one of a list that has too many: the first of the key that has the most, so that no key displaces those of another. */
export function takeOfMost<T extends { readonly keyId: string }>(all: Iterable<T>): T {
  const ofKeys = new Map<string, T[]>()
  for (const one of all) ofKeys.set(one.keyId, [...(ofKeys.get(one.keyId) ?? []), one])
  const [most = []] = [...ofKeys.values()].sort((one, other) => other.length - one.length)
  return most[0] as T
}
