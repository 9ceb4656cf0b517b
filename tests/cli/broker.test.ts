import { PassThrough, Readable } from 'node:stream'
import { mqtt, openSdk, source } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { command } from '../../dist/cli/command.js'
import { alvarium } from './command.js'
import { signer } from './messages.js'

describe('alvarium broker', () => {
  it('takes messages over WebSocket and plain MQTT, hands them on, and ends when it is stopped', async () => {
    const stop = new AbortController()
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const streams = { stdin: Readable.from([]), stdout, stderr }
    const running = command(['broker', '--port', '0', '--tcp-port', '0'], streams, stop.signal)
    const [url = '', tcpUrl = ''] =
      String((await stdout.iterator().next()).value).match(/(ws|mqtt):\S+/g) ?? []
    const { key, signingKey } = await signer()
    const listening = alvarium(['listen', tcpUrl, 't', ...key, '-n', '1', '--raw'])
    // Published again until somebody listens.
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: mqtt({ url, topic: 't' }) })
    const again = setInterval(() => sdk.create(new Uint8Array(1)).catch(() => {}), 50)
    const { out } = await listening
    clearInterval(again)
    await sdk.close()
    expect(await alvarium(['verify', ...key], { input: out })).toMatchObject({ code: 0 })
    stop.abort()
    expect(await running).toBe(130)
  })

  it('says when somebody has its port', async () => {
    const stop = new AbortController()
    const stdout = new PassThrough()
    const streams = { stdin: Readable.from([]), stdout, stderr: new PassThrough() }
    const running = command(['broker', '--port', '0', '--tcp-port', '0'], streams, stop.signal)
    const [, port = ''] = String((await stdout.iterator().next()).value).match(/ws:.*?:(\d+)/) ?? []
    const { code, err } = await alvarium(['broker', '--port', port, '--tcp-port', '0'])
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('--port: expected a port that nobody listens on'),
    ])
    stop.abort()
    await running
  })
})
