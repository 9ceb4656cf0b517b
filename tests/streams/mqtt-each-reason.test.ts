// @slow
// @node-only: its broker listens on a plain socket

import { mqtt } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, vi } from 'vitest'
import { type Heard, packet, type ScriptedBroker } from '../brokers/scripted.js'
import { utf8 } from '../support/bytes.js'
import { droppedBy } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { CONNACK, DISCONNECT, OF_MESSAGE, PUBACK, RETURN_CODES } from '../support/reasons.js'
import { closing } from '../support/receiving.js'
import { type Answers, scripted } from '../support/scripts.js'

type Version = 4 | 5
type Over = 'mqtt' | 'ws'

/** More messages than two windows of a client. */
const MESSAGES = 150
const REFUSED = 7
/** Number of faults: several at the beginning, so that no message is accepted between, and one in the middle. */
const TIMES_AT_FIRST = 3
const TIMES = TIMES_AT_FIRST + 1
const isDue = (times: number, accepted: number) =>
  times < TIMES_AT_FIRST || (times < TIMES && accepted >= MESSAGES / 2)
/** Connections that are refused: the first, and two after a lost one. */
const REFUSED_CONNECTIONS = [0, 2, 3]

interface Fault {
  readonly version: Version
  readonly over: Over
  readonly qos?: 1 | 2
  /** True if the fault concerns one message: then it occurs each time that this one arrives. */
  readonly isOfMessage?: boolean
  /** The answer to a PUBLISH with these bytes for a packet identifier. */
  readonly answer?: (id: readonly number[]) => Uint8Array
  /** Kind of the connection's end after the fault. */
  readonly cut?: 'end' | 'reset'
  /** The answer to CONNECT. */
  readonly refusal?: Uint8Array
}

/** Starts a broker with that fault. Returns the messages that it has accepted. */
async function faulty({ version, over, qos = 1, isOfMessage, answer, cut, refusal }: Fault) {
  const accepted = new Set<string>()
  const none = version === 5 ? [0] : []
  const ended = new Set<number>()
  const given: { broker?: ScriptedBroker } = {}
  let times = 0
  let connections = 0
  const fail = (connection: number, id: readonly number[]) => {
    times++
    if (cut) {
      ended.add(connection)
      // Cut the connection after the answer is written.
      queueMicrotask(() => given.broker?.cut(cut))
    }
    return answer?.(id)
  }
  const publish = ({ body, text, connection }: Heard) => {
    if (ended.has(connection)) return undefined
    const [id, name] = [body.slice(3, 5), text.slice(5 + none.length)]
    const isFaulty = isOfMessage ? name === `message ${REFUSED}` : isDue(times, accepted.size)
    if (isFaulty) return fail(connection, id)
    accepted.add(name)
    return packet(qos === 1 ? 'puback' : 'pubrec', id)
  }
  const answers: Answers = {
    publish,
    pubrel: ({ body }) => packet('pubcomp', body.slice(0, 2)),
    connect: () => {
      const isRefused = refusal && REFUSED_CONNECTIONS.includes(connections++)
      return isRefused ? refusal : packet('connack', [0, 0, ...none])
    },
  }
  given.broker = await scripted(answers, over)
  return { broker: given.broker, accepted }
}

/** Sends messages through an outbox to a broker with a fault. Returns how many it accepted, and which were dropped. */
async function outcome(fault: Fault) {
  const { version, over, qos = 1 } = fault
  const { broker, accepted } = await faulty(fault)
  const stream = mqtt({ url: broker.url, topic: 't', protocolVersion: version, qos, closeTimeoutMs: 1 })
  const box = closing(outbox({ stream, store: newPlace(), closeTimeoutMs: 1 }))
  const dropped = droppedBy(box)
  await box.connect()
  await Promise.all(Array.from({ length: MESSAGES }, (_, at) => box.publish(utf8(`message ${at}`))))
  await vi.waitFor(() => expect(box.stored.messages).toBe(0), { interval: 50 })
  expect(broker.url.startsWith(over)).toBe(true)
  return { accepted: accepted.size, dropped }
}

const ALL = { accepted: MESSAGES, dropped: [] }
const ALL_BUT_ONE = { accepted: MESSAGES - 1, dropped: [[`message ${REFUSED}`, 'STREAM_REFUSED']] }

/** Returns the outcome of all messages for each fault, with the expected one. */
async function outcomes(faults: Record<string, Fault>) {
  const found = await Promise.all(Object.values(faults).map(outcome))
  const names = Object.keys(faults)
  return {
    found: Object.fromEntries(found.map((one, at) => [names[at], one])),
    expected: Object.fromEntries(names.map((name) => [name, faults[name]?.isOfMessage ? ALL_BUT_ONE : ALL])),
  }
}

const each = (codes: readonly number[], of: (code: number) => Fault) =>
  Object.fromEntries(codes.map((code) => [`0x${code.toString(16)}`, of(code)]))

const isOfMessage = (code: number) => OF_MESSAGE.includes(code)

describe.each(['mqtt', 'ws'] as const)(`an outbox with ${MESSAGES} messages over %s`, (over) => {
  it.each([
    ['PUBACK', 'puback', 1],
    ['PUBREC', 'pubrec', 2],
  ] as const)(
    'delivers all messages, whatever the reason code of a %s, except a message that the code refuses',
    async (_, name, qos) => {
      const faults = each(PUBACK, (code) => ({
        version: 5,
        over,
        qos,
        isOfMessage: isOfMessage(code),
        answer: (id) => packet(name, [...id, code, 0]),
      }))
      const { found, expected } = await outcomes(faults)
      // Before the first subscription, "No matching subscribers" is a success. Afterwards, such a message is sent
      // again.
      const withoutSubscribers = { ...ALL, accepted: MESSAGES - TIMES_AT_FIRST }
      expect(found).toEqual({ ...expected, '0x10': withoutSubscribers })
    },
  )

  it('delivers all messages, whatever the reason code of a DISCONNECT, except a message that the code refuses', async () => {
    const faults = each(DISCONNECT, (code) => ({
      version: 5,
      over,
      isOfMessage: isOfMessage(code),
      cut: 'end',
      answer: () => packet('disconnect', [code, 0]),
    }))
    const { found, expected } = await outcomes(faults)
    expect(found).toEqual(expected)
  })

  it('delivers all messages after the broker has refused connections with each reason code of CONNACK', async () => {
    const faults = {
      ...each(CONNACK, (code) => ({
        version: 5,
        over,
        cut: 'end',
        refusal: packet('connack', [0, code, 0]),
      })),
      ...each(RETURN_CODES, (code) => ({
        version: 4,
        over,
        cut: 'end',
        refusal: packet('connack', [0, code]),
      })),
    }
    const { found, expected } = await outcomes(faults)
    expect(found).toEqual(expected)
  })

  it('delivers all messages when connections end without a reason', async () => {
    const { found, expected } = await outcomes({
      'in MQTT 5': { version: 5, over, cut: 'end' },
      'in MQTT 5, reset': { version: 5, over, cut: 'reset' },
      'in 3.1.1': { version: 4, over, cut: 'end' },
      'in 3.1.1, reset': { version: 4, over, cut: 'reset' },
    })
    expect(found).toEqual(expected)
  })
})
