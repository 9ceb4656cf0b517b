import { mqtt } from 'alvarium-sdk'
import { onTestFinished } from 'vitest'
import type { receive } from '../../dist/streams/mqtt/receive.js'
import { textOf } from './bytes.js'

/** Has it closed when the test is over, what came last first. */
export function closing<T extends { close(): Promise<void> }>(closable: T): T {
  onTestFinished(() => closable.close())
  return closable
}

/** A stream that is connected, and closed when the test is over. */
export async function sender(url: string, topic: string, qos: 0 | 1 | 2 = 1) {
  const stream = closing(mqtt({ url, topic, qos }))
  await stream.connect()
  return stream
}

/** The next messages that are received, as text. */
export async function take(messages: ReturnType<typeof receive>, count: number): Promise<string[]> {
  const taken: string[] = []
  while (taken.length < count) {
    const { done, value } = await messages.next()
    if (done) throw new Error('ended too early')
    taken.push(textOf(value.message))
  }
  return taken
}
