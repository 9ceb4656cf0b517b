import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { mqtt, openSdk, source } from 'alvarium-sdk'
import { connectAsync } from 'mqtt'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { startBroker as startExample } from '../../examples/broker/broker.mjs'
import { alvarium, command } from './command.js'
import { signer } from './messages.js'

/** Writes a remaining length of MQTT (3.1.1, 2.2.3). */
function remainingLength(bytes: number): number[] {
  return bytes < 128 ? [bytes] : [0x80 | (bytes & 0x7f), ...remainingLength(Math.floor(bytes / 128))]
}

function knock(port: string, headers: Record<string, string>): Promise<number | undefined> {
  const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' }
  const all = {
    ...upgrade,
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol': 'mqtt',
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const request = get({ port, headers: all })
    request.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy()
      resolve(statusCode)
    })
    request.on('response', ({ statusCode }) => resolve(statusCode))
    request.on('error', reject)
  })
}

describe('alvarium broker', () => {
  it('accepts messages over WebSocket and plain MQTT, delivers them, and ends when it is interrupted', async () => {
    const stop = new AbortController()
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const streams = { stdin: Readable.from([]), stdout, stderr }
    const running = command(['broker', '--port', '0', '--tcp-port', '0'], streams, stop.signal)
    const [url = '', tcpUrl = ''] =
      String((await stdout.iterator().next()).value).match(/(ws|mqtt):\S+/g) ?? []
    const { key, signingKey } = await signer()
    const listening = alvarium(['listen', tcpUrl, 't', ...key, '-n', '1', '--raw'])
    // Publish repeatedly until there is a subscriber.
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: mqtt({ url, topic: 't' }) })
    const again = setInterval(() => sdk.create(new Uint8Array(1)).catch(() => {}), 50)
    const { out } = await listening
    clearInterval(again)
    await sdk.close()
    expect(await alvarium(['verify', ...key], { input: out })).toMatchObject({ code: 0 })
    stop.abort()
    expect(await running).toBe(130)
  })

  it.each([
    ['an empty client id with clean session 0', 0, [0x20, 2, 0, 2]],
    ['an empty client id with clean session 1', 2, [0x20, 2, 0, 0]],
  ])('answers %s as MQTT 3.1.1 requires', async (_, flags, answer) => {
    const stop = new AbortController()
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const streams = { stdin: Readable.from([]), stdout, stderr }
    const running = command(['broker', '--port', '0', '--tcp-port', '0'], streams, stop.signal)
    const [, port = ''] = /mqtt:\S+:(\d+)/.exec(String((await stdout.iterator().next()).value)) ?? []
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(Uint8Array.of(0x10, 12, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, flags, 0, 0, 0, 0))
    const [got] = await once(socket, 'data')
    expect([...got]).toEqual(answer)
    socket.destroy()
    stop.abort()
    await running
  })

  // claim: command-20
  it('closes a connection that announces a packet longer than 16 MiB plus 128 KiB, and logs that', async () => {
    const stop = new AbortController()
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const streams = { stdin: Readable.from([]), stdout, stderr }
    const running = command(['broker', '--port', '0', '--tcp-port', '0'], streams, stop.signal)
    const [, port = ''] = /mqtt:\S+:(\d+)/.exec(String((await stdout.iterator().next()).value)) ?? []
    const connected = [0x10, 12, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 0, 0, 0]
    const longest = 16 * 1024 * 1024 + 128 * 1024
    const headers = [
      // The length can be in the first packet, or after others, in pieces that end anywhere.
      [[0x10, 0xff, 0xff, 0xff, 0x7f]],
      [connected, [0x30, 0xff, 0xff, 0xff, 0x7f]],
      [[...connected, 0xc0, 0, 0x30, ...remainingLength(longest + 1)]],
      [connected, [0x30], remainingLength(longest + 1).slice(0, 2), remainingLength(longest + 1).slice(2)],
    ]
    for (const pieces of headers) {
      const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true })
      socket.resume().on('error', () => {})
      for (const piece of pieces) await new Promise((done) => socket.write(Uint8Array.from(piece), done))
      await once(socket, 'close')
    }
    stop.abort()
    await running
    stderr.end()
    const refused = (await text(stderr)).match(/expected at most 16908288 bytes, got \d+/g)
    expect(refused).toEqual(
      [268_435_455, 268_435_455, longest + 1, longest + 1].map(
        (bytes) => `expected at most 16908288 bytes, got ${bytes}`,
      ),
    )
  })

  it.each(['tcp', 'ws'])('delivers messages of 16 MiB with a long topic over %s', async (way) => {
    const stop = new AbortController()
    const stdout = new PassThrough()
    const streams = { stdin: Readable.from([]), stdout, stderr: new PassThrough() }
    const running = command(['broker', '--port', '0', '--tcp-port', '0'], streams, stop.signal)
    const [url = '', tcpUrl = ''] =
      String((await stdout.iterator().next()).value).match(/(ws|mqtt):\S+/g) ?? []
    const client = await connectAsync(way === 'ws' ? url : tcpUrl)
    const [topic, payload] = ['t/'.repeat(20), Buffer.alloc(16 * 1024 * 1024, 7)]
    await client.subscribeAsync(topic, { qos: 1 })
    const arrived = new Promise<Buffer>((resolve) => client.on('message', (_, got) => resolve(got)))
    await client.publishAsync(topic, payload, { qos: 1 })
    expect((await arrived).equals(payload)).toBe(true)
    await client.endAsync()
    stop.abort()
    await running
  })

  // claim: command-14
  it.each([
    ['a program, which has no origin', {}, [], 101],
    ['a page of this machine', { Origin: 'http://localhost:3000' }, [], 101],
    ['a page of another site', { Origin: 'https://evil.example' }, [], 403],
    ['a page without an origin, as in a sandboxed frame', { Origin: 'null' }, [], 403],
    ['a page whose origin begins like ours', { Origin: 'http://localhost.evil.example' }, [], 403],
    [
      'a page whose host name was rebound to this machine',
      { Host: 'evil.example', Origin: 'http://evil.example' },
      [],
      403,
    ],
    ['a rebound host name without an origin', { Host: 'evil.example' }, [], 403],
    ['a page that is allowed', { Origin: 'https://my.example' }, ['https://my.example/'], 101],
  ])('accepts or refuses a WebSocket connection by its origin: %s', async (_, headers, allowed, status) => {
    const stop = new AbortController()
    const stdout = new PassThrough()
    const streams = { stdin: Readable.from([]), stdout, stderr: new PassThrough() }
    const args = [
      'broker',
      '--port',
      '0',
      '--tcp-port',
      '0',
      ...allowed.flatMap((one) => ['--allow-origin', one]),
    ]
    const running = command(args, streams, stop.signal)
    const [, port = ''] = String((await stdout.iterator().next()).value).match(/ws:.*?:(\d+)/) ?? []
    expect(await knock(port, headers)).toBe(status)
    stop.abort()
    await running
  })

  it.each<[string, Record<string, string>, number]>([
    ['a program', {}, 101],
    ['a page of this machine', { Origin: 'http://localhost:5173' }, 101],
    ['a page of another site', { Origin: 'https://evil.example' }, 401],
    ['a rebound host name', { Host: 'evil.example' }, 401],
    ['a page without an origin', { Origin: 'null' }, 401],
  ])('has the same rule for origins as the broker of the examples: %s', async (_, headers, status) => {
    const broker = await startExample()
    onTestFinished(broker.close)
    expect(await knock(`${broker.port}`, headers)).toBe(status)
  })

  it.each([
    ['--port', '--tcp-port'],
    ['--tcp-port', '--port'],
  ])('reports which port is already in use: %s', async (option, other) => {
    const stop = new AbortController()
    const stdout = new PassThrough()
    const streams = { stdin: Readable.from([]), stdout, stderr: new PassThrough() }
    const running = command(['broker', '--port', '0', '--tcp-port', '0'], streams, stop.signal)
    const [, port = ''] = String((await stdout.iterator().next()).value).match(/ws:.*?:(\d+)/) ?? []
    const { code, err } = await alvarium(['broker', option, port, other, '0'])
    expect([code, err]).toEqual([2, expect.stringContaining(`${option}: expected a free port`)])
    stop.abort()
    await running
  })

  it('closes a WebSocket connection that announces a message over the limit, and logs that', async () => {
    const stop = new AbortController()
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const streams = { stdin: Readable.from([]), stdout, stderr }
    const running = command(['broker', '--port', '0', '--tcp-port', '0'], streams, stop.signal)
    const [url = ''] = String((await stdout.iterator().next()).value).match(/ws:\S+/) ?? []
    const socket = new WebSocket(url, 'mqtt')
    await once(socket, 'open')
    socket.on('error', () => {}).send(Buffer.alloc(16 * 1024 * 1024 + 128 * 1024 + 1))
    await once(socket, 'close')
    stop.abort()
    await running
    stderr.end()
    expect(await text(stderr)).toContain('bytes, got more: the connection was closed\n')
  })
})
