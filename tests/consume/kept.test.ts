// @internal: nothing outside of a subscription can watch its messages being collected
// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Consumer } from '../../dist/verifying/consume/consumer.js'
import { readConsumeOptions } from '../../dist/verifying/consume/options.js'
import { utf8 } from '../support/bytes.js'
import { quiet } from '../support/deferred.js'
import { keyring } from '../support/sdk.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

it('a subscription keeps no references to messages that its loop did not process', async () => {
  const logger = { debug() {}, info() {}, warn() {}, error() {} }
  const user = {
    trust: { keyring, codec: undefined },
    classic: undefined,
    logger,
    isOver: () => false,
    onRejected() {},
  }
  const consumer = new Consumer(readConsumeOptions({}), user)
  const left = await (async () => {
    // The second is too long to verify in one batch with the first.
    const messages = [utf8('a'), new Uint8Array(200_000)]
    const arrivals = messages.map((message) => ({
      topic: 't',
      message,
      retain: false,
      dup: false,
      receivedAt: 0,
      withdrawn: false,
      ack: () => stop(),
      nack: () => {},
      setAside: () => {},
    }))
    const loop = consumer.deliver({
      begin: async () => {},
      take: async () => arrivals.splice(0),
      end: async () => {},
    })
    // The first does not verify and is acknowledged; after it, the loop must end.
    const stop = () => void consumer.stop()
    await loop.next()
    return messages.map((message) => new WeakRef(message))
  })()
  await quiet()
  collect()
  expect(left.map((one) => one.deref())).toEqual([undefined, undefined])
  await consumer.stop()
})
