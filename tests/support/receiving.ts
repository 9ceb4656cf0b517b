// @internal: a subscription skips messages that do not verify, and these tests send any text
import { mqtt } from 'alvarium-sdk'
import { onTestFinished } from 'vitest'
import { type Receiver, receive } from '../../dist/transport/streams/mqtt/receive.js'
import { textOf } from './bytes.js'

export { receive }

type Arrival = Awaited<ReturnType<Receiver['take']>>[number]

/** Subscribes to messages of any kind. The loop acknowledges each when it asks for the next. */
export function receiving({ durable = false, ...options }: Parameters<typeof receive>[0]) {
  const reception = closing(receive({ durable, ...options }))
  const messages = (async function* (): AsyncGenerator<Arrival, undefined> {
    await reception.open()
    for (let some = await reception.take(); some.length > 0; some = await reception.take()) {
      for (const one of some) {
        yield one
        one.ack()
      }
    }
    return undefined
  })()
  return Object.assign(reception, { next: () => messages.next() })
}

/** Closes an object when the test is over, the newest first. */
export function closing<T extends { close(): Promise<void> }>(closable: T): T {
  onTestFinished(() => closable.close())
  return closable
}

/** Opens a stream, and closes it when the test is over. */
export async function sender(url: string, topic: string, qos: 0 | 1 | 2 = 1) {
  const stream = closing(mqtt({ url, topic, qos }))
  await stream.connect()
  return stream
}

export async function next<Given>(
  loop: Pick<AsyncIterator<Given, void>, 'next'>,
  count: number,
): Promise<Given[]> {
  const taken: Given[] = []
  while (taken.length < count) {
    const { done, value } = await loop.next()
    if (done) throw new Error('ended too early')
    taken.push(value)
  }
  return taken
}

export async function take(
  messages: Pick<ReturnType<typeof receiving>, 'next'>,
  count: number,
): Promise<string[]> {
  return (await next(messages, count)).map(({ message }) => textOf(message))
}
