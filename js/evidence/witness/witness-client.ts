import { readIfValid, textOf } from '../../foundation/base/errors.js'
import { boundedText, fetchFault } from '../../foundation/base/http/bounded-text.js'
import { shownUrl } from '../../foundation/base/options/schema.js'
import { readDecimal } from '../../foundation/base/text/text.js'
import { deadline } from '../../foundation/base/time/timeout.js'
import { readNote } from '../logs/note.js'
import type { LogSize } from '../logs/size.js'
import type { WitnessVerifier } from './key.js'
import { linesOf } from './lines.js'
import { ADD_CHECKPOINT, SIZE_TYPE, writeAddCheckpoint } from './request.js'

export interface CheckpointToCosign extends LogSize {
  readonly note: string
  /** Returns the consistency path from `size` to the size of the checkpoint; undefined if it is unknown. */
  growthFrom(size: number): Promise<readonly Uint8Array[] | undefined>
}

/** Answer of a witness to a request for a cosignature. */
export interface WitnessAnswer {
  /** Name of the witness. */
  readonly name: string
  /**
   * Kind of answer. `cosigned`: the witness has signed. `away`: it has not signed, but may do so later.
   * `refused`: it does not know the log, or does not know the key that signed. `ahead`: it has seen more
   * entries than the checkpoint has. `forked`: it has seen another log of this name. `false`: its answer is
   * invalid.
   */
  readonly outcome: 'cosigned' | 'away' | 'refused' | 'ahead' | 'forked' | 'false'
  /** Signature line for the note, if the witness has signed. */
  readonly line?: string | undefined
  /** Size of the log that the witness has seen. Undefined if the size is unknown. */
  readonly size?: number | undefined
  /** The answer as one sentence, with the name of the witness. */
  readonly says: string
}

/** Maximum number of requests for one checkpoint. Between two of them, the witness may sign another checkpoint. */
const MAX_TRIES = 4

export class WitnessClient {
  readonly verifier: WitnessVerifier
  readonly #url: string
  readonly #timeoutMs: number
  size: number

  constructor(verifier: WitnessVerifier, url: string, timeoutMs: number, size: number) {
    this.verifier = verifier
    this.#url = url.replace(/\/+$/, '')
    this.#timeoutMs = timeoutMs
    this.size = size
  }

  async ask(checkpoint: CheckpointToCosign): Promise<WitnessAnswer> {
    try {
      return await deadline(this.#timeoutMs, 'expected an answer', (signal) => this.#ask(checkpoint, signal))
    } catch (error) {
      return this.#answer('away', textOf(error))
    }
  }

  async #ask(checkpoint: CheckpointToCosign, signal: AbortSignal): Promise<WitnessAnswer> {
    for (let left = MAX_TRIES; left > 0; left--) {
      const old = Math.min(this.size, checkpoint.size)
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

  /** Reads the witness's size from a response 409. Returns undefined if a request with that size may succeed. */
  #answerToConflict(
    { type, text }: HttpAnswer,
    old: number,
    { size }: CheckpointToCosign,
  ): WitnessAnswer | undefined {
    const seen = type === SIZE_TYPE && text.endsWith('\n') ? readDecimal(text.slice(0, -1)) : undefined
    if (seen === undefined)
      return this.#answer('false', `expected ${SIZE_TYPE} with a size, got another answer with status 409`)
    this.size = seen
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
    this.size = size
    const { name } = this.verifier
    return { name, outcome: 'cosigned', line, size, says: `${name}: has seen ${size} entries` }
  }

  #answer(outcome: WitnessAnswer['outcome'], text: string, size?: number): WitnessAnswer {
    const { name } = this.verifier
    const says = `${name} at ${shownUrl(this.#url)}: ${text}`
    return { name, outcome, says, ...(size !== undefined && { size }) }
  }
}

/** Returns the line of a witness in an answer if its signature verifies. Ignores lines of other keys. */
function lineIn(lines: string, text: string, witness: WitnessVerifier): string | undefined {
  return readIfValid(() => linesOf(`${text}\n${lines}`, { witnesses: [witness] })[0])
}

interface HttpAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Maximum length of a response in bytes: 16 signature lines of 8,192 bytes. */
const MAX_BYTES = 131_072

/** Posts a text, and reads the response. @throws Error when there is no response, or when it is too long */
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
