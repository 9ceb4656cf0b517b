import { PROMISES } from 'alvarium-command/doctor'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { alvarium } from './command.js'

async function mosquitto(options: Parameters<typeof startMosquitto>[0]): Promise<TestBroker> {
  const broker = await startMosquitto(options)
  onTestFinished(broker.stop)
  return broker
}

/** Replaces the text that differs from run to run. */
const steady = (text: string) =>
  text
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:1883')
    .replace(/Mosquitto [\d.]+/, 'Mosquitto 2')
    .replace(/[\d.,]+ ms/g, '1 ms')
    .replace(/members: \d+ and \d+/, 'members: 10 and 10')

describe('alvarium doctor', () => {
  it('reports how a broker behaves, which promises it breaks, and which configuration lines fix that', async () => {
    const broker = await mosquitto({ isDefault: true })
    const { code, out, err } = await alvarium(['doctor', broker.tcpUrl])
    expect([code, err]).toEqual([1, ''])
    expect(steady(out)).toMatchInlineSnapshot(`
      "mqtt://127.0.0.1:1883  Mosquitto 2, MQTT 5, not encrypted
        QoS                messages 2, subscriptions 2
        announces          20 messages at a time
        round trip         1 ms (1 ms to 1 ms)
        one clientId twice ends the first connection, and does not tell it why

      ✓ accepted           a call resolves when the broker has acknowledged its message, and the message arrives
                           100 messages with QoS 1 were acknowledged and arrived
      ✗ subscriber-killed  nothing is lost while a subscriber with a clientId is away, or when it is killed
                           it acknowledged 1,500 messages for a subscriber that was away, but kept 1,000
                           mosquitto.conf:
                             # By default, all messages beyond 1000 are silently dropped. 0: as many as fit into memory.
                             max_queued_messages 0
                             max_queued_bytes 0
                             # Leave out persistent_client_expiration, or set it longer than a subscriber may be away.
      ✓ order              messages arrive in the order of the calls, even when they are redelivered
                           1,000 messages, some of them resent after the connection was cut, arrived in order
      – broker-killed      an acknowledged message survives a restart or a crash of the broker
                           no broker tells its clients whether it writes to disk: check its config for these lines, and restart it during the check (restart: true; command: --restart)
                           mosquitto.conf:
                             persistence true
                             # A folder that its user can write to. Started by root, it runs as the user mosquitto.
                             persistence_location /var/lib/mosquitto/
                             # Saves after each message instead of every half hour: kill -9 loses the last one or few. Each time it writes
                             # all that waits, so a higher number is faster; kill -9 then loses as many messages.
                             autosave_on_changes true
                             autosave_interval 1
      ✓ retained           with retain: true the broker keeps the last message for later subscribers
                           a later subscriber received it
      ✓ group              a group shares the messages: each goes to one member
                           two members received 20 messages, each once: 10 and 10
      ✓ large-message      large messages, such as batches, arrive
                           a message of 131,072 bytes arrived within 1 ms

      5 of 7 promises hold, 1 does not, 1 cannot be tested from outside
      "
    `)
  })

  it('has exit code 0 if the broker breaks no promise', async () => {
    const { tcpUrl } = await mosquitto({})
    const { code, out } = await alvarium(['doctor', tcpUrl, '--messages', '1100'])
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/\n6 of 7 promises hold, 1 cannot be tested from outside\n$/),
    ])
  })

  it('checks only the promises that --only names, and prints JSON with --json', async () => {
    const { tcpUrl } = await mosquitto({ isDefault: true })
    const args = [
      'doctor',
      tcpUrl,
      '--only',
      'subscriber-killed',
      '--only',
      'retained',
      '--messages',
      '1001',
      '--json',
    ]
    const { code, out } = await alvarium(args)
    expect([code, JSON.parse(out)]).toEqual([
      1,
      expect.objectContaining({
        verdict: 'no',
        promises: [
          expect.objectContaining({ name: 'subscriber-killed', holds: 'no' }),
          expect.objectContaining({ name: 'retained', holds: 'yes' }),
        ],
        facts: expect.objectContaining({
          protocolVersion: 5,
          backlog: expect.objectContaining({ kept: 1000 }),
        }),
      }),
    ])
  })

  it('has exit code 2 if no broker answers, and reports that as JSON with --json', async () => {
    const plain = await alvarium(['doctor', 'mqtt://127.0.0.1:1'])
    expect([plain.code, plain.out, plain.err]).toEqual([
      2,
      '',
      expect.stringContaining('expected a broker at'),
    ])
    const { code, out } = await alvarium(['doctor', 'mqtt://127.0.0.1:1', '--json'])
    expect([code, JSON.parse(out)]).toEqual([
      2,
      { verdict: 'unknown', code: 'STREAM_UNREACHABLE', error: expect.stringContaining('ECONNREFUSED') },
    ])
  })

  // claim: command-8
  it('has exit code 130 when it is interrupted, after it has cleaned up', async () => {
    const { tcpUrl } = await mosquitto({})
    const stop = new AbortController()
    const running = alvarium(['doctor', tcpUrl, '--messages', '100000', '--timeout', '600'], {
      signal: stop.signal,
    })
    stop.abort(new Error('stopped by Ctrl-C'))
    expect(await running).toEqual({ code: 130, out: '', err: '' })
  })

  it('accepts with --only exactly the promises that the API checks', async () => {
    const { err } = await alvarium(['doctor', 'ws://127.0.0.1:1', '--only', 'everything'])
    const [, choices = ''] = /Allowed choices are ([\w, -]+)\./.exec(err.replaceAll(/\s+/g, ' ')) ?? []
    expect(choices.split(', ')).toEqual(PROMISES)
  })
})
