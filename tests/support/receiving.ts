import type { receive } from '../../dist/streams/mqtt/receive.js'
import { textOf } from './bytes.js'

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
