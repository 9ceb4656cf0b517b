import { AlvariumError, type StreamProvider } from 'alvarium-sdk'
import { type Outbox, type OutboxOptions, outbox } from 'alvarium-sdk/outbox'
import { textOf } from './bytes.js'
import { deferred } from './deferred.js'
import { closing } from './receiving.js'

/** A stream provider whose answers a test sets. On close, it rejects the messages that it has not answered. */
export interface Outgoing extends StreamProvider {
  /** Messages that were handed to it, as text, in order. */
  readonly handed: string[]
  readonly accepted: string[]
  /** Decides about a message: accepts it, rejects it with an error, or waits. */
  answer: (text: string) => Promise<unknown> | Error | undefined
}

export function outgoing(answer: Outgoing['answer'] = () => undefined): Outgoing {
  const closed = deferred<never>()
  closed.promise.catch(() => {})
  const stream: Outgoing = {
    handed: [],
    accepted: [],
    answer,
    publish: async (message) => {
      const text = textOf(message)
      stream.handed.push(text)
      const answer = stream.answer(text)
      if (answer instanceof Error) throw answer
      await Promise.race([answer, closed.promise])
      stream.accepted.push(text)
    },
    close: () => closed.reject(new AlvariumError('STREAM_CLOSED', 'it is closed')),
  }
  return stream
}

/** Opens an outbox, and closes it when the test is over. Its store has a second to close, also on a busy machine. */
export async function opened(options: OutboxOptions): Promise<Outbox> {
  const box = closing(outbox({ closeTimeoutMs: 1000, ...options }))
  await box.connect()
  return box
}

/** Returns the messages that the outbox drops, each with its reason. The list grows. */
export function droppedBy(box: Outbox): string[][] {
  const dropped: string[][] = []
  box.addEventListener('dropped', (event) => {
    const { message, error } = event as unknown as { message: Uint8Array; error: AlvariumError }
    dropped.push([textOf(message), error.code])
  })
  return dropped
}

export const away = new AlvariumError('STREAM_UNREACHABLE', 'away')

export const absent = (): StreamProvider => ({
  connect: () => Promise.reject(away),
  publish: () => Promise.reject(away),
})
