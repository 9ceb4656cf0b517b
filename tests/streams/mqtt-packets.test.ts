// @internal: limits of packets, which a broker reaches with 256 MiB
import type { IClientPublishOptions, MqttClient } from 'mqtt'
import { describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../../dist/foundation/base/logger.js'
import { Acknowledgements } from '../../dist/transport/streams/mqtt/acknowledgements.js'
import {
  enforceMaxPacketSize,
  limitQos,
  MAX_PACKET_BYTES,
  PacketGauge,
} from '../../dist/transport/streams/mqtt/bounds.js'
import type { Link } from '../../dist/transport/streams/mqtt/link.js'
import { packetsFor } from '../../dist/transport/streams/mqtt/packets.js'
import { QueuedMessage } from '../../dist/transport/streams/mqtt/queued-message.js'
import { concat } from '../support/bytes.js'

/** Returns the used part of mqtt.js' client, and the calls of it. */
function client() {
  const stream = {
    destroyed: false,
    written: [] as number[][],
    pushed: [] as unknown[][],
    write: (bytes: Uint8Array) => void stream.written.push([...bytes]),
    push: (...given: unknown[]) => {
      stream.pushed.push(given)
      return true
    },
    destroy: () => {
      stream.destroyed = true
    },
  }
  const told: string[] = []
  const emit = (event: string, { message }: Error) => void told.push(`${event}: ${message}`)
  const state = { stream, disconnecting: false, told, emit, end: vi.fn() }
  return Object.assign(state, { mqtt: state as unknown as MqttClient })
}

describe('the acknowledgements of a connection', () => {
  it('are sent in the order of the messages: each waits until all earlier ones are due', () => {
    const { stream, mqtt } = client()
    const acknowledgements = new Acknowledgements(mqtt, () => {})
    const [first, second, third] = [1, 2, 3].map((id) => acknowledgements.register(1, id))
    second?.()
    expect(stream.written).toEqual([])
    first?.()
    expect(stream.written).toEqual([[0x40, 2, 0, 1, 0x40, 2, 0, 2]])
    third?.()
    expect(stream.written).toHaveLength(2)
    expect(stream.written[1]).toEqual([0x40, 2, 0, 3])
  })

  it('are a PUBACK for QoS 1 and a PUBREC for QoS 2, with the packet id in two bytes', () => {
    const { stream, mqtt } = client()
    const acknowledgements = new Acknowledgements(mqtt, () => {})
    acknowledgements.register(1, 0x1234)()
    acknowledgements.register(2, 0xfffe)()
    expect(stream.written).toEqual([
      [0x40, 2, 0x12, 0x34],
      [0x50, 2, 0xff, 0xfe],
    ])
  })

  it('are sent once, however often a message is acknowledged', () => {
    const { stream, mqtt } = client()
    const acknowledge = new Acknowledgements(mqtt, () => {}).register(1, 1)
    acknowledge()
    acknowledge()
    expect(stream.written).toHaveLength(1)
  })

  it.each([{ disconnecting: true }, { stream: { destroyed: true } }])(
    'are not written on a connection that has ended: %o',
    ({ disconnecting = false, stream = {} }) => {
      const gone = client()
      gone.disconnecting = disconnecting
      Object.assign(gone.stream, stream)
      new Acknowledgements(gone.mqtt, () => {}).register(1, 1)()
      expect(gone.stream.written).toEqual([])
    },
  )
})

/** Returns the fixed header of a packet with this total length. */
function header(whole: number): Uint8Array {
  const digits = (rest: number): number[] =>
    rest < 128 ? [rest] : [(rest % 128) | 0x80, ...digits(Math.floor(rest / 128))]
  for (let size = 2; size < 7; size++) {
    const bytes = Uint8Array.of(0x30, ...digits(whole - size))
    if (bytes.length === size) return bytes
  }
  throw new Error('expected a length that a packet can have')
}
const packet = (whole: number) => concat(header(whole), new Uint8Array(whole - header(whole).length))

describe('the limit on incoming MQTT packets', () => {
  it('allows a packet of the maximum length, but not a longer one', () => {
    expect(new PacketGauge().isOverLimit(header(MAX_PACKET_BYTES))).toBe(false)
    expect(new PacketGauge().isOverLimit(header(MAX_PACKET_BYTES + 1))).toBe(true)
  })

  it.each([2, 129, 131, 16_386, 16_388, 2_097_157])(
    'finds where a packet of %i bytes ends and the next begins',
    (whole) => {
      const gauge = new PacketGauge()
      expect(gauge.isOverLimit(concat(packet(whole), packet(whole)))).toBe(false)
      expect(gauge.isOverLimit(header(MAX_PACKET_BYTES + 1))).toBe(true)
    },
  )

  it('detects a long packet after short ones, wherever the received chunks are split', () => {
    const bytes = concat(packet(2), packet(200), packet(5), header(MAX_PACKET_BYTES + 1))
    for (let at = 0; at <= bytes.length; at++) {
      const gauge = new PacketGauge()
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)]
      expect(pieces.filter((piece) => gauge.isOverLimit(piece))).toHaveLength(1)
    }
  })

  it('mistakes no byte of a payload for a header', () => {
    const gauge = new PacketGauge()
    gauge.isOverLimit(header(1_000))
    const payload = new Uint8Array(1_000 - header(1_000).length).fill(0xff)
    expect(gauge.isOverLimit(payload.subarray(0, 500))).toBe(false)
    expect(gauge.isOverLimit(payload.subarray(500))).toBe(false)
    expect(gauge.isOverLimit(Uint8Array.of(0x30, 0xff, 0xff, 0xff))).toBe(false)
    expect(gauge.isOverLimit(Uint8Array.of(0xff))).toBe(true)
  })
})

describe('an MQTT connection that exceeds a limit', () => {
  // claim: threats-56
  it('is cut before mqtt.js has seen any of the packet', () => {
    const { stream, told, end, mqtt } = client()
    enforceMaxPacketSize(mqtt)
    const [good, bad] = [packet(200), header(MAX_PACKET_BYTES + 1)]
    expect(stream.push(good, 'utf8')).toBe(true)
    // The end of the connection.
    expect(stream.push(null)).toBe(true)
    expect(told).toEqual([])
    expect(stream.push(bad)).toBe(false)
    expect(stream.pushed).toEqual([
      [good, 'utf8'],
      [null, undefined],
    ])
    const most = `expected packets of at most ${MAX_PACKET_BYTES} bytes from the broker, got a longer packet`
    expect(told).toEqual([`error: ${most}`])
    expect(stream.destroyed).toBe(true)
    expect(end).toHaveBeenCalledExactlyOnceWith(true)
  })

  // claim: threats-58
  it('is cut when a message has a higher QoS than the subscription', () => {
    const { stream, told, mqtt } = client()
    const isAllowed = limitQos(mqtt, 1)
    expect([isAllowed(0), isAllowed(1)]).toEqual([true, true])
    expect([told, stream.destroyed]).toEqual([[], false])
    expect(isAllowed(2)).toBe(false)
    expect(told).toEqual([
      'error: expected messages with QoS 1 at most from the broker, got a message with QoS 2',
    ])
    expect(stream.destroyed).toBe(true)
  })
})

const settings = {
  topic: ['t', 'tt', 'ü', 'a"b'],
  qos: 1,
  retain: false,
  sendContentType: false,
  messageExpirySeconds: undefined,
  userProperties: undefined,
} as const
type Settings = Parameters<typeof packetsFor>[1]

/** Publishes on a connection. Returns the sent messages, and a function to answer them. */
function publishing(more: Partial<Settings> = {}, link: Partial<Link> = {}) {
  const sent: { topic: string; message: Uint8Array; options: IClientPublishOptions }[] = []
  let answer: (error?: Error & { code?: number }) => void = () => {}
  const publish = (
    topic: string,
    message: Uint8Array,
    options: IClientPublishOptions,
    done: typeof answer,
  ) => {
    sent.push({ topic, message, options })
    answer = done
  }
  const fake = { publish, on: () => {}, getLastMessageId: () => 1 }
  const where = { version: 5, maximumPacketSize: Number.POSITIVE_INFINITY, client: fake, ...link }
  const rule = { noSubscribers: undefined, topics: undefined, logger: silentLogger }
  const send = packetsFor(where as unknown as Link, { ...settings, ...more } as Settings, rule)
  return {
    sent,
    answer: (error?: Error & { code?: number }) => answer(error),
    send: (message: Uint8Array, contentType?: string, topic = 't') => {
      const done = vi.fn()
      send(topic, new QueuedMessage(message, contentType === undefined ? {} : { contentType }, [topic]), done)
      return done
    },
  }
}
const short = new Uint8Array(3)

describe('a published MQTT message', () => {
  it('has no properties by default', () => {
    const { sent, send } = publishing()
    send(short, 'application/json')
    expect(sent[0]).toMatchObject({ topic: 't', options: { qos: 1, retain: false } })
    expect(Object.keys(sent[0]?.options ?? {})).toEqual(['qos', 'retain'])
    expect([...(sent[0]?.message ?? [])]).toEqual([...short])
  })

  it('has exactly the properties that the options name', () => {
    const given = [
      { messageExpirySeconds: 60 },
      { userProperties: { line: '7' } },
      { sendContentType: true, messageExpirySeconds: 60, userProperties: {}, qos: 2, retain: true },
    ] as const
    const options = given.map((more) => {
      const { sent, send } = publishing(more)
      send(short, 'text/plain')
      return sent[0]?.options
    })
    expect(options).toEqual([
      { qos: 1, retain: false, properties: { messageExpiryInterval: 60 } },
      { qos: 1, retain: false, properties: { userProperties: { line: '7' } } },
      {
        qos: 2,
        retain: true,
        properties: { contentType: 'text/plain', messageExpiryInterval: 60, userProperties: {} },
      },
    ])
  })

  it('has no properties in MQTT 3.1.1, which does not know them', () => {
    const { sent, send } = publishing({ sendContentType: true, messageExpirySeconds: 60 }, { version: 4 })
    send(short, 'text/plain')
    expect(sent[0]?.options).toEqual({ qos: 1, retain: false })
  })

  it('has its media type as a property if it has one', () => {
    const { sent, send } = publishing({ sendContentType: true })
    for (const type of [undefined, 'a/b', 'a/b', 'c/d', undefined]) send(short, type)
    const types = sent.map(({ options }) => options.properties?.contentType)
    expect(types).toEqual([undefined, 'a/b', 'a/b', 'c/d', undefined])
    // Equal types share one options object, which is created once.
    expect(sent[1]?.options).toBe(sent[2]?.options)
  })

  it.each([
    ['no properties', {}, 0],
    ['a numeric property', { messageExpirySeconds: 1 }, 1 + 4],
    ['a media type', { sendContentType: true }, 1 + 2 + 3],
    ['user properties', { userProperties: { ab: 'cde', f: '' } }, 1 + 2 + 2 + 2 + 3 + 1 + 2 + 1 + 2],
    ['text of more bytes than characters', { userProperties: { '€': '🙂' } }, 1 + 2 + 3 + 2 + 4],
  ])('is sent up to the length that the broker allows, with %s', (_, more, properties) => {
    // A header of three bytes, a topic, a packet id, and the length of properties.
    const most = 1_000 - 3 - (2 + 2) - 2 - 1 - properties
    for (const topic of ['tt', 'ü']) {
      const { sent, send } = publishing(more, { maximumPacketSize: 1_000 })
      send(new Uint8Array(most), 'a/b', topic)
      expect(sent).toHaveLength(1)
      expect(() => send(new Uint8Array(most + 1), 'a/b', topic)).toThrow(
        expect.objectContaining({
          code: 'STREAM_REFUSED',
          message: `mqtt: expected a packet of at most 1000 bytes for this broker, got 1001, with a message of ${most + 1}`,
        }),
      )
      expect(sent).toHaveLength(1)
    }
  })

  it.each(['x'.repeat(65_536), 'a\0b', '\ud800', 5])(
    'is refused with a media type that MQTT cannot carry as text',
    (type) => {
      const { sent, send } = publishing({ sendContentType: true })
      const refused = expect.objectContaining({
        code: 'STREAM_REFUSED',
        message: expect.stringMatching(/^contentType: expected a text that MQTT can carry, got /),
      })
      // The second message is refused, too: it does not reuse the type of an earlier one.
      for (let times = 0; times < 2; times++) expect(() => send(short, type as string)).toThrow(refused)
      send(short, 'a/b')
      expect(sent).toHaveLength(1)
    },
  )
})

describe('the answer of a broker to a message', () => {
  it('resolves the call when the broker accepts the message', () => {
    const { send, answer } = publishing()
    const done = send(short)
    answer()
    expect(done).toHaveBeenCalledExactlyOnceWith()
  })

  it.each([
    ['STREAM_REFUSED', 0x90, 'Topic Name invalid (reason code 0x90)'],
    ['STREAM_REFUSED', 0x99, 'Payload format invalid (reason code 0x99)'],
    ['STREAM_UNAVAILABLE', 0x80, 'Unspecified error (reason code 0x80)'],
    ['STREAM_UNAVAILABLE', 0x83, 'Implementation specific error (reason code 0x83)'],
    ['STREAM_UNAVAILABLE', 0x87, 'Not authorized (reason code 0x87)'],
    ['STREAM_UNAVAILABLE', 0x97, 'Quota exceeded (reason code 0x97)'],
    ['STREAM_UNAVAILABLE', 0xfe, 'Unknown reason (reason code 0xFE)'],
  ])('rejects with %s for reason code %i, with the name of the code', (code, answered, name) => {
    const { send, answer } = publishing()
    const done = send(short, undefined, 'a"b')
    const cause = Object.assign(new Error('Publish error'), { code: answered })
    answer(cause)
    const message = `mqtt: expected the broker to accept a message for "a\\"b", got: ${name}`
    expect(done).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ name: 'AlvariumError', code, message, cause }),
    )
  })

  it.each([0x91, 0x92])(
    'ends the connection for reason code %i, so that all messages are resent in a new session',
    (code) => {
      const drop = vi.fn()
      const { send, answer } = publishing({}, { drop })
      const done = send(short)
      answer(Object.assign(new Error('Publish error'), { code }))
      expect(done).not.toHaveBeenCalled()
      expect(drop).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ reason: expect.objectContaining({ code, about: 'connection' }) }),
      )
    },
  )

  it('is still awaited when mqtt.js abandons the message because the connection has closed', () => {
    const { send, answer } = publishing()
    const done = send(short)
    answer(new Error('Connection closed'))
    expect(done).not.toHaveBeenCalled()
  })
})
