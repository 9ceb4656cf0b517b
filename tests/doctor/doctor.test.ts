// @browser: a browser's WebSocket tells less of a broker
// @internal: no broker here delivers a message to both members of a group
import { checkBroker } from 'alvarium-command/doctor'
import { expect, it, onTestFinished } from 'vitest'
import { decidePromise } from '../../dist/transport/doctor/promises.js'
import { brokers } from '../brokers/brokers.js'

it.each(brokers)(
  'checkBroker reports over WebSocket that $name meets the requested promises, and tests no others',
  async ({ start }) => {
    const broker = await start()
    onTestFinished(() => broker.stop())
    const promises = ['accepted', 'subscriber-killed', 'order', 'retained'] as const
    const steps = new Set<string>()
    const report = await checkBroker({
      url: broker.url,
      promises,
      messages: 100,
      onProgress: ({ step }) => steps.add(step),
    })
    expect(report).toMatchObject({
      verdict: 'yes',
      promises: promises.map((name) => ({ name, holds: 'yes', settings: [] })),
      facts: {
        isEncrypted: false,
        backlog: { published: 100, acknowledged: 100, kept: 100, isRedelivered: true, isInOrder: true },
        isRetainedKept: true,
        // Promises that were not requested are not tried.
        sharing: undefined,
        size: undefined,
      },
      failures: [],
    })
    const { minMs = -1, medianMs = -1, p99Ms = -1 } = report.facts.roundTrip ?? {}
    // Firefox's clock counts whole milliseconds.
    expect(minMs).toBeGreaterThanOrEqual(0)
    expect(medianMs).toBeGreaterThanOrEqual(minMs)
    expect(p99Ms).toBeGreaterThanOrEqual(medianMs)
    expect([...steps]).toEqual([
      'round trips',
      'messages for a subscriber that is away',
      'messages that the broker has kept',
    ])
  },
)

it.each([
  [10, 0, 'yes', 'two members received 10 messages, each once: 5 and 5'],
  [10, 2, 'no', 'both members received 2 of 10 messages'],
  [9, 0, 'no', '9 of 10 messages reached the group'],
  [0, 0, 'no', 'it does not support shared subscriptions: a group receives nothing'],
] as const)(
  'when a shared subscription gets %i of 10 messages, %i of them twice, checkBroker answers "%s": "%s"',
  (delivered, repeated, holds, because) => {
    const facts = { isEncrypted: false, sharing: { published: 10, delivered, repeated, members: [5, 5] } }
    expect(decidePromise('group', { facts, failures: [] } as never, 1)).toMatchObject({ holds, because })
  },
)
