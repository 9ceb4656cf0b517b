import { mkdir, readFile } from 'node:fs/promises'
import { cbor, keyOf, memory, mqtt, openSdk, source } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { file } from 'alvarium-sdk/file'
import { leased } from 'alvarium-sdk/trust'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { alvarium } from './command.js'
import { brokerForAll, publishTo, whileListening } from './listening.js'
import { signer, text } from './messages.js'

const encoder = new TextEncoder()

describe('alvarium with the messages of a topic', () => {
  const broker = brokerForAll()
  const from = (topic: string, ...more: string[]) => ['--url', broker().url, '--topic', topic, ...more]

  it('verifies and shows messages when they arrive, up to the number of --count', async () => {
    const { key, sealed } = await signer()
    const { a, batch } = await sealed()
    const binary = cbor().encode(a)
    const altered = encoder.encode(text(a).replace('edge-7', 'edge-8'))
    const { code, out, err } = await whileListening(
      broker(),
      ['verify', ...from('fabric/#', '-n', '4'), ...key],
      () => publishTo(broker(), 'fabric/a', [a, batch, binary, altered]),
    )
    expect(code).toBe(1)
    expect(out).toMatch(/^✓ create {3}CA978112CA1B….*\n(.*\n)*✗ fabric\/a {2}SIGNATURE_INVALID/)
    expect(out).toContain('4 messages: 3 verified, 1 refused')
    expect(err).toMatch(/^listening to fabric\/# at 127\.0\.0\.1:\d+, Ctrl-C ends it\n$/)
  })

  it('shows each message at once, including the first', async () => {
    const { key, sealed } = await signer()
    const { a } = await sealed()
    const stop = new AbortController()
    const { code, out } = await whileListening(
      broker(),
      ['verify', ...from('one'), ...key],
      () => publishTo(broker(), 'one', [a]),
      { signal: stop.signal, onOut: () => stop.abort() },
    )
    expect([code, out]).toEqual([
      130,
      expect.stringMatching(/^✓ create {3}CA978112CA1B….*\n.*, then it was stopped, on the trust of \S+\n$/),
    ])
  })

  it('does not wait for messages if it is interrupted before it has subscribed', async () => {
    const { key } = await signer()
    const ended = await alvarium(['verify', ...from('none'), ...key], { signal: AbortSignal.abort() })
    expect(ended).toMatchObject({ code: 130 })
  })

  it('scores messages with score, and follows payloads with lineage', async () => {
    const { key, sealed } = await signer()
    const { a, b } = await sealed()
    const publish = () => publishTo(broker(), 'scored', [a, b, a])
    const scored = await whileListening(broker(), ['score', ...from('scored', '-n', '3'), ...key], publish)
    const [keyOfA, keyOfB] = ['a', 'b'].map((payload) => keyOf(encoder.encode(payload)))
    expect(scored.out).toBe(
      `   50 %  ${keyOfA}  doubt 1 no  src 1 yes\n   50 %  ${keyOfB}  doubt 1 no  src 1 yes\n`,
    )
    const followed = await whileListening(
      broker(),
      ['lineage', `${keyOfB}`, ...from('scored', '-n', '3'), ...key],
      publish,
    )
    expect(followed.out).toBe(`   50 %  ${keyOfB}  doubt 1 no  src 1 yes\n`)
  })

  it('audits messages, and reports listed messages that did not arrive as missing', async () => {
    const { key, signingKey, keyId } = await signer()
    const [stream, notes] = [memory(), memory()]
    const own = checkpoints({ stream: notes, every: 2 })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream, checkpoints: own })
    for (let at = 0; at < 4; at++) await sdk.create(Uint8Array.of(at))
    await sdk.close()
    const [first, , ...rest] = stream.messages as [Uint8Array, ...Uint8Array[]]
    const { code, out, err } = await whileListening(
      broker(),
      ['audit', ...from('audited', '-n', '3'), ...key],
      async () => {
        await publishTo(broker(), 'audited/signers', notes.messages)
        await publishTo(broker(), 'audited', [first, ...rest])
      },
    )
    expect([code, out]).toEqual([1, expect.stringContaining(`✗ ${keyId}  incomplete: 3 messages, 1 run`)])
    expect(out).toMatch(/missing +1 message: position 1 of run /)
    expect(err).toMatch(/^listening to audited at /)
  })

  // claim: command-13
  it('with --client-id lets the broker keep later messages for the next run of the command', async () => {
    const { key, sealed } = await signer()
    const { a, b, c } = await sealed()
    const named = ['--client-id', 'auditor', '--may-lose']
    const args = ['verify', ...from('kept', ...named, '-n', '1', '--json'), ...key]
    const first = await whileListening(broker(), args, () => publishTo(broker(), 'kept', [a, b, c]))
    const [second, third] = [await alvarium(args), await alvarium(args)]
    const keys = [first, second, third].map(({ out }) => JSON.parse(out).bundles[0].key)
    expect(keys).toEqual(['a', 'b', 'c'].map((payload) => keyOf(encoder.encode(payload))))
  })

  it.each([
    [['--topic', 't'], '--topic: works only with --url, the URL of the broker'],
    [['--url', 'ws://localhost:9001'], '--url: works only with --topic'],
    [['-n', '1'], '--count: works only with --url'],
    [['a.json', '--url', 'ws://localhost:9001', '--topic', 't'], '<source>: cannot be combined with --url'],
    [['--url', 'http://localhost', '--topic', 't'], 'url: expected a URL with'],
  ])('refuses the options %j', async (args, expected) => {
    const { key } = await signer()
    const { code, err } = await alvarium(['verify', ...args, ...key])
    expect([code, err]).toEqual([2, expect.stringContaining(expected)])
  })
})

describe('alvarium with the messages of a topic and a trust policy', () => {
  it('verifies, scores and draws messages by the leases that the broker retains', async () => {
    const broker = await startMosquitto()
    onTestFinished(broker.stop)
    const { at, write, signingKey } = await signer()
    const keys = [text(await readFile(at('public.key')))]
    const trust = await write('trust.json', JSON.stringify({ signers: [{ name: 'gateway-1', keys }] }))
    const where = { url: broker.url, retain: true }
    const sdk = await openSdk({
      signingKey: leased(signingKey, { stream: mqtt({ ...where, topic: 'leased/signers' }) }),
      annotators: [source()],
      stream: mqtt({ ...where, topic: 'leased' }),
    })
    await sdk.create(encoder.encode('a'))
    await sdk.close()
    const args = ['--url', broker.url, '--topic', 'leased', '-n', '1', '-t', trust]
    const key = keyOf(encoder.encode('a'))
    for (const command of [['verify'], ['score'], ['lineage', key]]) {
      const { code, out } = await alvarium([...command, ...args])
      expect([code, out]).toEqual([0, expect.stringMatching(/src (1 )?yes/)])
    }
  })
})

describe('a folder that file() has written its messages to', () => {
  it('may be given to alvarium score, which reads the messages of all its files', async () => {
    const { key, signingKey, at } = await signer()
    await mkdir(at('archive'))
    const stream = file({ path: at('archive/audit.ndjson'), maxBytes: 1024 })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream })
    for (let number = 0; number < 10; number++) await sdk.create(new Uint8Array([number]))
    await sdk.close()
    const { code, out, err } = await alvarium(['score', at('archive'), ...key])
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('✓ holds: 10 messages: 10 verified; 10 payloads'),
    ])
    expect(out.match(/^ {2}100 %/gm)).toHaveLength(10)
  })
})
