import type { Gap } from '../report.js'

/** A part of a log without a checkpoint, and what came of it. */
export interface LiveGap extends Gap {
  /** Whether what did not come is missing, and not unknown. */
  isJudged: boolean
  /** True for the beginning of a run whose time no one knows: messages that came from it are as unknown as the others. */
  readonly isOpen?: boolean | undefined
  /** When it was found, in milliseconds since 1970. */
  readonly foundAt: number
  /** So many messages of it are not there, as far as is known. */
  absent: number
  isTold: boolean
}

/** Takes out one of a list that has too many: the first of the key that has the most, so that no key displaces those of another. */
export function takeOfMost<T extends { readonly keyId: string }>(all: Iterable<T>): T {
  const ofKeys = new Map<string, { readonly first: T; count: number }>()
  for (const one of all) {
    const own = ofKeys.get(one.keyId)
    if (own) own.count++
    else ofKeys.set(one.keyId, { first: one, count: 1 })
  }
  const [most] = [...ofKeys.values()].sort((one, other) => other.count - one.count)
  return (most as { readonly first: T }).first
}
