import { isVerdict, textOf } from '../../foundation/base/errors.js'
import { boundedText, fetchFault } from '../../foundation/base/http/bounded-text.js'
import { shownUrl } from '../../foundation/base/options/schema.js'
import { readDecimal } from '../../foundation/base/text/text.js'
import { deadline } from '../../foundation/base/time/timeout.js'
import { readNote } from '../logs/note.js'
import type { LogSize } from '../logs/size.js'
import type { WitnessVerifier } from './key.js'
import { linesOf } from './lines.js'
import { ADD_CHECKPOINT, SIZE_TYPE, writeAddCheckpoint } from './request.js'

/** A checkpoint to be seen by witnesses. */
export interface CheckpointToCosign extends LogSize {
  /** The signed note. */
  readonly note: string
  /** Returns the path from that size to the checkpoint's; undefined where nobody knows it any more. */
  growthFrom(size: number): Promise<readonly Uint8Array[] | undefined>
}

/** The answer of a witness. */
export interface WitnessAnswer {
  /** Name of the witness. */
  readonly name: string
  /**
   * `cosigned`: it has signed. `away`: it gave no answer in time, or one that a later request may change. `refused`: it does not know the log, or its key.
   * `ahead`: it has seen more entries than the checkpoint has: there is a newer one, or the log was set back. `forked`: it has seen another log of this
   * name. `false`: its answer is not what it should be.
   */
  readonly outcome: 'cosigned' | 'away' | 'refused' | 'ahead' | 'forked' | 'false'
  /** Line for the note, if it has signed. */
  readonly line?: string | undefined
  /** Size of the log that it has seen, where it says so. */
  readonly size?: number | undefined
  /** One sentence, with the name of the witness. */
  readonly says: string
}

/** Requests that one checkpoint takes: the witness may sign others meanwhile. */
const MAX_TRIES = 4

/** A witness that is asked, with the size that it has signed last. */
export class WitnessClient {
  readonly verifier: WitnessVerifier
  readonly #url: string
  readonly #timeoutMs: number
  /** Size of the log that it has signed. */
  #size: number

  /** @param size - of the log that it is known to have signed */
  constructor(
    verifier: WitnessVerifier,
    {
      url,
      timeoutMs,
      size = 0,
    }: { readonly url: string; readonly timeoutMs: number; readonly size?: number },
  ) {
    this.verifier = verifier
    this.#url = url.replace(/\/+$/, '')
    this.#timeoutMs = timeoutMs
    this.#size = size
  }

  get size(): number {
    return this.#size
  }

  /** Asks the witness to sign a checkpoint. Never rejects. */
  async ask(checkpoint: CheckpointToCosign): Promise<WitnessAnswer> {
    try {
      return await deadline(this.#timeoutMs, 'expected an answer', (signal) => this.#ask(checkpoint, signal))
    } catch (error) {
      return this.#answer('away', textOf(error))
    }
  }

  async #ask(checkpoint: CheckpointToCosign, signal: AbortSignal): Promise<WitnessAnswer> {
    for (let left = MAX_TRIES; left > 0; left--) {
      const old = Math.min(this.#size, checkpoint.size)
      const path = await checkpoint.growthFrom(old)
      if (!path)
        return this.#answer(
          'away',
          `nobody can show how the log grew from the ${old} entries that it has seen`,
          old,
        )
      const body = writeAddCheckpoint({ old, path, note: checkpoint.note })
      const answer = await post(`${this.#url}${ADD_CHECKPOINT}`, body, signal)
      const settled =
        answer.status === 409
          ? this.#answerToConflict(answer, old, checkpoint)
          : this.#answerTo(answer, old, checkpoint)
      if (settled) return settled
    }
    return this.#answer('away', `it has named another size ${MAX_TRIES} times`)
  }

  /** Takes the size that the witness has seen. Returns an answer where another request would change nothing. */
  #answerToConflict(
    { type, text }: HttpAnswer,
    old: number,
    { size }: CheckpointToCosign,
  ): WitnessAnswer | undefined {
    const seen = type === SIZE_TYPE && text.endsWith('\n') ? readDecimal(text.slice(0, -1)) : undefined
    if (seen === undefined)
      return this.#answer('false', `expected ${SIZE_TYPE} with a size, got another answer with status 409`)
    this.#size = seen
    if (seen > size)
      return this.#answer('ahead', `it has seen ${seen} entries, and this checkpoint has ${size}`, seen)
    if (seen === old) return this.#answer('forked', `it has seen another log of ${seen} entries`, seen)
    return undefined
  }

  #answerTo({ status, text }: HttpAnswer, old: number, checkpoint: CheckpointToCosign): WitnessAnswer {
    if (status === 200) return this.#readCosignature(text, checkpoint)
    if (status === 403)
      return this.#answer('refused', 'it knows the log, and not the key that signed this checkpoint')
    if (status === 404) return this.#answer('refused', 'it does not know the log')
    if (status === 422)
      return this.#answer('forked', `it has seen ${old} entries that this log does not begin with`, old)
    return this.#answer('away', `expected status 200, got ${status}`)
  }

  #readCosignature(lines: string, { note, size }: CheckpointToCosign): WitnessAnswer {
    const line = lineIn(lines, readNote(note).text, this.verifier)
    if (line === undefined) return this.#answer('false', 'expected its signature, got none that verifies')
    this.#size = size
    const { name } = this.verifier
    return { name, outcome: 'cosigned', line, size, says: `${name}: has seen ${size} entries` }
  }

  #answer(outcome: WitnessAnswer['outcome'], text: string, size?: number): WitnessAnswer {
    const { name } = this.verifier
    return {
      name,
      outcome,
      says: `${name} at ${shownUrl(this.#url)}: ${text}`,
      ...(size !== undefined && { size }),
    }
  }
}

/** Returns the line of this witness among those of an answer, if its signature verifies. Lines of other keys are ignored. */
function lineIn(lines: string, text: string, witness: WitnessVerifier): string | undefined {
  try {
    return linesOf(`${text}\n${lines}`, { witnesses: [witness] })[0]
  } catch (error) {
    if (isVerdict(error)) return undefined
    throw error
  }
}

/** The part of an answer that says something here. */
interface HttpAnswer {
  readonly status: number
  /** Media type, without parameters. */
  readonly type: string
  readonly text: string
}

/** 16 lines with signatures. */
const MAX_BYTES = 131_072

/** Sends a text, and reads the answer. @throws Error for no answer, and for one that is too long */
async function post(url: string, body: string, signal: AbortSignal): Promise<HttpAnswer> {
  const response = await postText(url, body, signal)
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  return { status: response.status, type, text: await boundedText(response, signal, MAX_BYTES) }
}

async function postText(url: string, body: string, signal: AbortSignal): Promise<Response> {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  try {
    return await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal })
  } catch (cause) {
    throw new Error(`expected an answer, got: ${fetchFault(cause)}`, { cause })
  }
}
