// @node-only: it sets up brokers and looks into them

import { checkBroker } from 'alvarium-command/doctor'
import { expect, it, onTestFinished } from 'vitest'
import { type Answer, type Heard, packet, startScripted } from '../brokers/scripted.js'
import { promised, verdicts } from './losing.js'

/**
 * The properties of CONNACK (MQTT 5, 3.2.2.3): Session Expiry, Receive Maximum, Maximum QoS, Retain, Maximum Packet
 * Size, Shared.
 */
const ANNOUNCED = [
  ...[0x11, 0, 0, 0x0e, 0x10],
  ...[0x21, 0, 7],
  ...[0x24, 1],
  ...[0x25, 0],
  ...[0x27, 0, 0, 8, 0],
  ...[0x2a, 0],
]
/** The position of the last two bytes of the Maximum Packet Size. */
const SIZE_AT = ANNOUNCED.indexOf(0x27) + 3
const TAKEN_OVER = packet('disconnect', [0x8e, 0])

/** Returns the topic, packet id and payload of a PUBLISH with QoS 1. */
function published({ body }: Heard) {
  const end = 2 + (body[1] as number)
  const [length = 0] = body.slice(end + 2)
  return { topic: body.slice(2, end), id: body.slice(end, end + 2), payload: body.slice(end + 3 + length) }
}

/** Returns the same message to a subscriber, cut off after its topic. */
function echoOf(heard: Heard): Uint8Array {
  const { topic, id, payload } = published(heard)
  return packet('publish', [0, topic.length, ...topic, ...id, 0, ...payload.slice(0, 32)], 2)
}

const clientIdOf = ({ text }: Heard) => text.match(/alvarium-doctor-[0-9a-f]+-[a-z]+/)?.[0] ?? ''

/**
 * Starts a broker of MQTT 5 with low limits, which keeps messages for a disconnected subscriber and reports takeovers.
 */
async function startMeagre({ redelivers = true, isInOrder = true, maximumPacketSize = 2_048 } = {}) {
  const announced = ANNOUNCED.map((byte, at) => {
    if (at === SIZE_AT) return maximumPacketSize >> 8
    return at === SIZE_AT + 1 ? maximumPacketSize & 0xff : byte
  })
  const connections = new Map<string, number>()
  const backlog: Uint8Array[] = []
  const connect: Answer = (heard) => {
    const clientId = clientIdOf(heard)
    const before = connections.get(clientId)
    connections.set(clientId, heard.connection)
    const isBack = clientId.endsWith('-subscriber') && before !== undefined
    if (clientId.endsWith('-twice') && before !== undefined) broker.sendTo(before, TAKEN_OVER)
    const connack = packet('connack', [isBack ? 1 : 0, 0, announced.length, ...announced])
    const delivered = isBack ? [...backlog] : []
    if (!isInOrder) delivered.reverse()
    if (isBack && !redelivers) backlog.length = 0
    return Buffer.concat([connack, ...delivered])
  }
  const publish: Answer = (heard) => {
    const { topic, id } = published(heard)
    const puback = packet('puback', id)
    const isBacklog = String.fromCharCode(...topic).endsWith('/backlog')
    if (isBacklog) backlog.push(echoOf(heard))
    return isBacklog ? puback : Buffer.concat([puback, echoOf(heard)])
  }
  const broker = await startScripted({ connect, publish })
  onTestFinished(broker.stop)
  return broker
}

it('checkBroker trusts the limits that the broker announces, and skips tests beyond them', async () => {
  const broker = await startMeagre()
  const promises = ['accepted', 'subscriber-killed', 'order', 'retained', 'group'] as const
  const report = await checkBroker({ url: broker.url, messages: 1, promises })
  expect(report.facts).toMatchObject({
    announced: {
      sessionExpirySeconds: 3_600,
      receiveMaximum: 7,
      maximumQos: 1,
      isRetainAvailable: false,
      maximumPacketSize: 2_048,
      areSharedSubscriptionsAvailable: false,
    },
    publishQos: 1,
    takeover: 'told',
    isRetainedKept: false,
    software: undefined,
  })
  expect(verdicts(report)).toEqual({
    accepted: 'yes',
    'subscriber-killed': 'no',
    order: 'yes',
    retained: 'no',
    group: 'no',
  })
  expect(promised(report, 'subscriber-killed').because).toBe(
    'it keeps a session for 3,600 seconds: less than a day (86,400)',
  )
  const tried = broker.heard.map(({ text }) => text).join('\n')
  expect(tried).not.toContain('$share')
  expect(tried).not.toContain('/retained')
})

it('checkBroker sends no packet longer than the broker announces', async () => {
  const maximumPacketSize = 300
  const broker = await startMeagre({ maximumPacketSize })
  const report = await checkBroker({ url: broker.url, messages: 3, promises: ['subscriber-killed', 'order'] })
  expect(report.failures).toEqual([])
  expect(report.facts.backlog).toMatchObject({ published: 3, acknowledged: 3, kept: 3 })
  const lengths = broker.heard.map(({ body }) => body.length)
  // The body is without the first byte and the length.
  expect(Math.max(...lengths)).toBeLessThanOrEqual(maximumPacketSize - 3)
})

it('checkBroker names settings for Mosquitto and RabbitMQ when it does not know which broker it tests', async () => {
  const broker = await startMeagre()
  const { promises } = await checkBroker({ url: broker.url, promises: ['retained'] })
  expect(promises[0]?.settings).toEqual([
    { file: 'mosquitto.conf', lines: ['retain_available true'] },
    { file: 'rabbitmq.conf', lines: [expect.stringContaining('mqtt.retained_message_store')] },
  ])
})

it('checkBroker detects a broker that does not redeliver unacknowledged messages', async () => {
  const broker = await startMeagre({ redelivers: false })
  const report = await checkBroker({ url: broker.url, messages: 1, promises: ['subscriber-killed'] })
  expect(promised(report, 'subscriber-killed')).toMatchObject({
    holds: 'no',
    because: 'it did not resend the messages that were unacknowledged when the connection was cut',
  })
})

it('checkBroker detects a broker that delivers queued messages in the wrong order', async () => {
  const broker = await startMeagre({ isInOrder: false })
  const report = await checkBroker({ url: broker.url, messages: 3, promises: ['order'] })
  expect(report.facts.backlog).toMatchObject({ kept: 3, isInOrder: false })
  expect(promised(report, 'order').holds).toBe('no')
})

it('checkBroker reports a broker that forgets sessions', async () => {
  const connect = () => packet('connack', [0, 0, 2, 0x24, 1])
  const broker = await startScripted({
    connect,
    publish: (heard) => Buffer.concat([packet('puback', published(heard).id), echoOf(heard)]),
  })
  onTestFinished(broker.stop)
  const report = await checkBroker({ url: broker.url, messages: 1, promises: ['subscriber-killed'] })
  expect(promised(report, 'subscriber-killed')).toMatchObject({
    holds: 'no',
    because: 'it forgot the session as soon as the subscriber left',
  })
})
