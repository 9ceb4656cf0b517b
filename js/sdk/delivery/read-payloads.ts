import { onAbort } from '../../foundation/base/time/abort.js'
import { keyOfDigest } from '../../foundation/core/hashing.js'
import type { Action } from '../../foundation/model/bundle.js'
import type { Call } from '../../foundation/model/call.js'
import type { Digestion, HashInput, PayloadSource, Progress } from '../../foundation/model/payload.js'
import type { Question } from '../../signing/annotators/annotator-set.js'
import { digestSource, isSource } from '../../signing/sources/source.js'

export type GivenPayload = Uint8Array | PayloadSource

/** Payloads of a call, about which the annotators are asked. At least one of the payloads is a source. */
export interface ReadQuestion {
  readonly action: Action
  readonly payload: GivenPayload
  readonly previousPayload: GivenPayload | undefined
}

/** Payloads that were read, in the forms for the core and for annotators. */
interface ReadPayloads {
  readonly forCore: Pick<Call, 'payload' | 'previous'>
  readonly forAnnotators: Omit<Question, 'action'>
}

/**
 * Reads the sources among the payloads concurrently, because the new payload may be made from the old one
 * while the old one is read. An error of one source cancels the reading of the other.
 *
 * @param take - copies or hashes bytes immediately, because the caller may change them during the reading
 */
export async function readAll(
  { payload, previousPayload }: ReadQuestion,
  digestion: Digestion,
  take: (bytes: Uint8Array) => HashInput,
): Promise<ReadPayloads> {
  const { signal, onProgress } = digestion
  const ending = new AbortController()
  if (signal?.aborted) ending.abort(signal.reason)
  const end = signal && onAbort(signal, () => ending.abort(signal.reason))
  const tellOf = onProgress && sumProgress(onProgress, [payload, previousPayload].filter(isSource).length)
  const read = (given: GivenPayload) => {
    return readOne(given, { ...digestion, signal: ending.signal, onProgress: tellOf?.() }, take)
  }
  try {
    const readings = [read(payload), ...(previousPayload ? [read(previousPayload)] : [])]
    const [one, other] = (await Promise.all(readings)) as [ReadPayload, ReadPayload | undefined]
    return { forCore: { payload: one.input, previous: other?.input }, forAnnotators: knownOf(one, other) }
  } catch (error) {
    ending.abort(error)
    throw error
  } finally {
    end?.()
  }
}

/** Payload that was read, with its bytes unless the payload was a source. */
interface ReadPayload {
  readonly input: HashInput
  readonly bytes?: Uint8Array
  readonly key?: string
  readonly size?: number
}

async function readOne(
  given: GivenPayload,
  digestion: Digestion,
  take: (bytes: Uint8Array) => HashInput,
): Promise<ReadPayload> {
  if (!isSource(given)) return { input: take(given), bytes: given }
  const { digest, size } = await digestSource(given, digestion)
  return { input: { bytes: digest, isDigest: true }, key: keyOfDigest(digest, digestion.hash), size }
}

function knownOf(
  { bytes, key, size }: ReadPayload,
  previous: ReadPayload | undefined,
): ReadPayloads['forAnnotators'] {
  return {
    payload: bytes,
    ...(key !== undefined && { key }),
    ...(size !== undefined && { size }),
    ...(previous?.bytes && { previousPayload: previous.bytes }),
    ...(previous?.key !== undefined && { previousKey: previous.key }),
  }
}

type Tell = NonNullable<Digestion['onProgress']>

/** Returns a function that creates a callback for each source. All callbacks report the total progress. */
function sumProgress(tell: Tell, count: number): () => Tell {
  const all: (Progress | undefined)[] = []
  return () => {
    const at = all.push(undefined) - 1
    return (progress) => {
      all[at] = progress
      return tell(sumOf(all.slice(0, count)))
    }
  }
}

function sumOf(all: readonly (Progress | undefined)[]): Progress {
  let bytes = 0
  let size: number | undefined = 0
  for (const one of all) {
    bytes += one?.bytes ?? 0
    size = one?.size === undefined || size === undefined ? undefined : size + one.size
  }
  return { bytes, size }
}
