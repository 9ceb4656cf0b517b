// @node-only: above the connection, all is the same in every engine

import { mqtt, openSdk, source, subscribe } from 'alvarium-sdk'
import { expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { utf8 } from '../support/bytes.js'
import { deferred } from '../support/deferred.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

async function parties() {
  const broker = await startMosquitto()
  onTestFinished(broker.stop)
  const where = { url: broker.url, topic: 't' }
  const sdk = closing(
    await openSdk({ signingKey: key.signingKey, annotators: [source()], stream: mqtt(where) }),
  )
  const createMany = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => sdk.create(utf8(`${at}`))))
  return { where: { ...where, keyring }, createMany }
}

// claim: verifying-17
it.each([true, false])(
  'a member that leaves a shared subscription loses none of the messages sent to it (durable: %s)',
  async (durable) => {
    const { where, createMany } = await parties()
    const received: string[] = []
    const allSent = deferred()
    const join = async (clientId: string) => {
      const member = closing(
        subscribe({ ...where, group: 'team', clientId, durable, closeTimeoutMs: 60_000 }),
      )
      await member.open()
      const over = (async () => {
        for await (const { id } of member) {
          received.push(id)
          // Stay with the first bundle, so that others wait when it leaves.
          if (clientId === 'leaver') await allSent.promise
        }
      })()
      return { member, over }
    }
    const [leaver, stayer] = [await join('leaver'), await join('stayer')]
    const receipts = await createMany(1_000)
    expect(received.length).toBeLessThan(1_000)
    const left = leaver.member.close()
    allSent.resolve()
    await left
    await leaver.over
    const afterwards = await createMany(100)
    while (received.length < receipts.length + afterwards.length) await new Promise((r) => setTimeout(r, 10))
    expect(new Set(received).size).toBe(1_100)
    await stayer.member.close()
  },
)

it("close() of a subscription sends the loop's acknowledgements, and leaves other messages to the broker", async () => {
  const { where, createMany } = await parties()
  const first = subscribe({ ...where, clientId: 'archive' })
  await first.open()
  const receipts = await createMany(5)
  const received: string[] = []
  for await (const { key } of first) {
    received.push(key)
    // Do not await the close, because it waits for this loop.
    if (received.length === 2) void first.close()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(received).toHaveLength(2)
  const second = subscribe({ ...where, clientId: 'archive' })
  for await (const { key } of second) {
    if (received.push(key) === 5) break
  }
  expect(received).toEqual(receipts.map(({ bundle }) => bundle.key))
})

// claim: verifying-12
it('a break from the loop leaves the bundle in flight to the broker, unless it was acknowledged', async () => {
  const { where, createMany } = await parties()
  const options = { ...where, clientId: 'archive' }
  const known = subscribe(options)
  await known.open()
  await known.close()
  const [one, two] = (await createMany(2)).map(({ bundle }) => bundle.key)
  const first = async (acknowledged: boolean) => {
    for await (const bundle of subscribe(options)) {
      if (acknowledged) await bundle.ack()
      return [bundle.key, bundle.dup]
    }
  }
  expect(await first(false)).toEqual([one, false])
  expect(await first(true)).toEqual([one, true])
  expect(await first(true)).toEqual([two, true])
})

// claim: verifying-18
it('close() of a subscription waits at most closeTimeoutMs for a loop that does not finish', async () => {
  const { where, createMany } = await parties()
  const bundles = subscribe({ ...where, durable: false, closeTimeoutMs: 50 })
  await bundles.open()
  await createMany(1)
  const iteration = bundles[Symbol.asyncIterator]()
  await iteration.next()
  await bundles.close()
  expect(await iteration.next()).toEqual({ done: true, value: undefined })
})
