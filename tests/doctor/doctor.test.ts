import { checkBroker } from 'alvarium-sdk/doctor'
import { expect, it, onTestFinished } from 'vitest'
import { brokers } from '../brokers/brokers.js'

it.each(brokers)('checkBroker tells over WebSocket what $name does, wherever it runs', async ({ start }) => {
  const broker = await start()
  onTestFinished(() => broker.stop())
  const promises = ['accepted', 'subscriber-killed', 'order', 'retained'] as const
  const steps = new Set<string>()
  const report = await checkBroker({
    ...{ url: broker.url, promises, messages: 100 },
    onProgress: ({ step }) => steps.add(step),
  })
  expect(report).toMatchObject({
    verdict: 'yes',
    promises: promises.map((name) => ({ name, holds: 'yes', settings: [] })),
    facts: {
      isEncrypted: false,
      backlog: { published: 100, acknowledged: 100, kept: 100, isRedelivered: true, isInOrder: true },
      isRetainedKept: true,
      // What was not asked for was not tried.
      ...{ sharing: undefined, size: undefined },
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
})
