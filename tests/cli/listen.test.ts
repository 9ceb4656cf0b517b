import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import {
  classic,
  generateKey,
  keyOf,
  memory,
  mqtt,
  openDeadLetter,
  openSdk,
  type PayloadContext,
  source,
} from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { issueLease, leased } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { alvarium, type How } from './command.js'
import { brokerForAll, publishTo, whileListening } from './listening.js'
import { signer, text } from './messages.js'

describe('alvarium listen', () => {
  const broker = brokerForAll()
  const heard = (args: readonly string[], publish: () => Promise<void>, how?: How) =>
    whileListening(broker(), ['listen', broker().url, 'fabric/#', ...args], publish, how)

  async function publisher(signingKey: Uint8Array, options: { host?: string; isClassic?: boolean } = {}) {
    const { host = 'edge-7', isClassic = false } = options
    const stream = mqtt({ url: broker().url, topic: 'fabric/a' })
    const codec = isClassic ? { codec: classic({ signingKey, dialect: 'go' }) } : {}
    const doubt = { kind: 'doubt', isSatisfied: () => host === 'edge-8' }
    return openSdk({ signingKey, annotators: [source(), doubt], stream, host, ...codec })
  }

  async function say(signingKey: Uint8Array, options: { host?: string; isClassic?: boolean } = {}) {
    const sdk = await publisher(signingKey, options)
    await sdk.create(new Uint8Array(1))
    await sdk.transit(new Uint8Array(2))
    await sdk.close()
  }

  it('shows bundles and messages of other SDKs when they arrive, up to the number of --count', async () => {
    const { key, signingKey } = await signer()
    const { code, out } = await heard([...key, '-n', '3'], async () => {
      await say(signingKey)
      await say(signingKey, { isClassic: true })
    })
    expect(code).toBe(0)
    expect(out).toMatch(
      /^✓ create .*src yes {2}doubt no.*\n✓ transit .*\n✓ create {3}fabric\/a {2}Go SDK format/,
    )
  })

  it.each([
    ['--action', 'transit', { action: 'transit', host: 'edge-7' }],
    ['--host', 'edge-8', { action: 'create', host: 'edge-8' }],
    ['--satisfied', undefined, { action: 'create', host: 'edge-8' }],
    ['--unsatisfied', undefined, { action: 'create', host: 'edge-7' }],
  ])('prints only the messages that %s selects', async (option, value, expected) => {
    const { key, signingKey } = await signer()
    const args = [...key, '-n', '1', '--json', option, ...(value ? [value] : [])]
    const { out } = await heard(args, async () => {
      await say(signingKey, { host: 'edge-7' })
      await say(signingKey, { host: 'edge-8' })
    })
    expect(JSON.parse(out)).toMatchObject({ topic: 'fabric/a', bundles: [expected] })
  })

  it('accepts the leases of the --leases files, and the leases that arrive on the topic', async () => {
    const { at, write, signingKey } = await signer()
    const [first, second] = [generateKey().signingKey, generateKey().signingKey]
    const keys = [text(await readFile(at('public.key')))]
    const trust = await write('trust.json', JSON.stringify({ signers: [{ name: 'gateway-1', keys }] }))
    const leases = await write('lease.json', await issueLease(signingKey, { subject: first, name: 'first' }))
    const args = ['-t', trust, '--leases', leases, '-n', '4', '--json']
    const { code, out } = await heard(args, async () => {
      await say(first)
      await publishTo(broker(), 'fabric/a/signers', [
        await issueLease(signingKey, { subject: second, name: 'second' }),
      ])
      await say(second)
    })
    const names = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).bundles[0].signedBy.lease.name)
    expect([code, names]).toEqual([0, ['first', 'first', 'second', 'second']])
  })

  it('accepts an archive that has more leases than one call of the API accepts', async () => {
    const { at, write, signingKey } = await signer()
    const last = generateKey().signingKey
    const keys = [text(await readFile(at('public.key')))]
    const trust = await write('trust.json', JSON.stringify({ signers: [{ name: 'gateway-1', keys }] }))
    const earlier = await issueLease(signingKey, { subject: generateKey().signingKey })
    const lines = [...Array(1_024).fill(earlier), await issueLease(signingKey, { subject: last })].map(text)
    const archive = await write('archive.ndjson', `${lines.join('\n')}\n`)
    const { code } = await heard(['-t', trust, '--leases', archive, '-n', '2'], () => say(last))
    expect(code).toBe(0)
  })

  it('writes an archive with checkpoints and leases, from which an audit finds missing messages', async () => {
    const { at, write, signingKey } = await signer()
    const keys = [text(await readFile(at('public.key')))]
    const trust = await write('trust.json', JSON.stringify({ signers: [{ name: 'gateway-1', keys }] }))
    const [stream, notes] = [memory(), memory()]
    const given: Uint8Array[] = []
    const sdk = await openSdk({
      signingKey: leased(signingKey, { onLease: (lease) => given.push(lease), name: 'zero\u200bwidth' }),
      annotators: [source()],
      stream,
      checkpoints: checkpoints({ stream: notes }),
    })
    for (let at = 0; at < 3; at++) await sdk.create(Uint8Array.of(at))
    await sdk.close()
    const { code, out } = await heard(['-t', trust, '-n', '3', '--raw'], async () => {
      await publishTo(broker(), 'fabric/a/signers', [...given, ...notes.messages])
      await publishTo(broker(), 'fabric/a', stream.messages)
    })
    expect(code).toBe(0)
    const lines = out.trim().split('\n')
    const audit = (some: readonly string[]) =>
      alvarium(['audit', '-', '--trust', trust], { input: some.join('\n') })
    expect((await audit(lines)).code).toBe(0)
    const isSecond = (line: string) => line.includes(keyOf(Uint8Array.of(1)))
    const { code: found, out: said } = await audit(lines.filter((line) => !isSecond(line)))
    expect([found, said]).toEqual([1, expect.stringMatching(/missing +1 message: position 1 of run /)])
  })

  it('writes a whole batch if any of its bundles is selected', async () => {
    const { key, signingKey } = await signer()
    const stream = memory()
    const isTwo = ({ payload }: PayloadContext) => payload[0] === 2
    const two = { kind: 'two', needs: 'payload', isSatisfied: isTwo } as const
    const sdk = await openSdk({ signingKey, annotators: [two], stream })
    await sdk.createMany([0, 1, 2, 2].map((one) => Uint8Array.of(one)))
    await sdk.close()
    const { code, out } = await heard([...key, '-n', '2', '--raw', '--satisfied'], () =>
      publishTo(broker(), 'fabric/a', stream.messages),
    )
    expect([code, out]).toEqual([0, `${text(stream.messages[0] as Uint8Array)}\n`])
  })

  // claim: delivery-63
  it('refuses --client-id if it writes to a pipe, and explains how to keep the messages', async () => {
    const { key } = await signer()
    const named = ['fabric/#', ...key, '--client-id', 'archive']
    for (const args of [
      ['listen', broker().url],
      ['verify', '--url', broker().url, '--topic'],
    ]) {
      const { code, err } = await alvarium([...args, ...named])
      expect([code, err]).toEqual([2, expect.stringContaining('alvarium listen --raw --out FILE')])
      expect(err).toContain('alvarium store ingest --url')
      expect(err).toContain('--may-lose')
    }
  })

  it('accepts --client-id together with --may-lose if it writes to a pipe', async () => {
    const { key, signingKey } = await signer()
    const named = ['--client-id', 'piped', '--may-lose']
    const { code, out } = await heard([...key, ...named, '-n', '2', '--raw'], () => say(signingKey))
    expect([code, out.trim().split('\n').length]).toEqual([0, 2])
  })

  // claim: delivery-64
  it('appends to the file of --out, and cuts off a last line that a kill has torn', async () => {
    const { at, key, signingKey } = await signer()
    const args = [...key, '--client-id', 'kept', '-n', '2', '--raw', '-o', at('archive.ndjson')]
    await heard(args, () => say(signingKey))
    const whole = await readFile(at('archive.ndjson'), 'utf8')
    await appendFile(at('archive.ndjson'), whole.slice(0, 100))
    const { code, out, err } = await heard(args, () => say(signingKey))
    expect([code, out, err]).toEqual([0, '', expect.stringMatching(/^note {2}.*its last line was torn/)])
    const kept = await readFile(at('archive.ndjson'), 'utf8')
    expect(kept.slice(0, whole.length)).toBe(whole)
    const verified = await alvarium(['verify', at('archive.ndjson'), ...key])
    expect([verified.code, kept.split('\n').length]).toEqual([0, 5])
  })

  it('keeps the last line of --out if the line is a whole message without a line end', async () => {
    const { at, key, signingKey, sealed } = await signer()
    const before = text((await sealed()).a)
    await writeFile(at('archive.ndjson'), before)
    await heard([...key, '-n', '2', '--raw', '-o', at('archive.ndjson')], () => say(signingKey))
    const lines = (await readFile(at('archive.ndjson'), 'utf8')).split('\n')
    expect([lines.length, lines[0]]).toEqual([4, before])
  })

  // claim: delivery-66
  it('leaves a message with the broker if the message cannot be written to --out', async () => {
    const { at, key, signingKey } = await signer()
    const args = [...key, '--client-id', 'failing', '-n', '2', '--raw', '-o']
    await mkdir(at('gone'))
    const failed = await heard([...args, at('gone/archive.ndjson')], async () => {
      await rm(at('gone'), { recursive: true })
      await say(signingKey)
    })
    const why = expect.stringMatching(/--out .*: expected the message to be written, got: ENOENT/)
    expect([failed.code, failed.err]).toEqual([2, why])
    const again = await alvarium(['listen', broker().url, 'fabric/#', ...args, at('archive.ndjson')])
    expect(again.code).toBe(0)
    expect(await readFile(at('archive.ndjson'), 'utf8')).toMatch(/^.*"create".*\n.*"transit".*\n$/)
  })

  // claim: delivery-65
  it('refuses an --out file that a running alvarium listen writes to', async () => {
    const { at, key, signingKey } = await signer()
    const args = [...key, '-n', '1', '--raw', '-o', at('archive.ndjson')]
    const second = { code: 0 as number | null, err: '' }
    await heard(args, async () => {
      Object.assign(second, await alvarium(['listen', broker().url, 't', ...args]))
      await say(signingKey)
    })
    expect(second).toMatchObject({ code: 2, err: expect.stringContaining('no other stream has open') })
  })

  it.each([
    ['public.key', ['--raw'], 'a file that is not an input'],
    ['notes.txt', ['--raw'], 'a new file, or a file with a message on each line'],
    ['new.ndjson', [], 'works only with --raw or --json'],
  ])('refuses to append to %s with the options %j', async (name, form, expected) => {
    const { at, key, write } = await signer()
    await write('notes.txt', 'call Anna')
    const before = await readFile(at('public.key'), 'utf8')
    const { code, err } = await alvarium(['listen', broker().url, 't', ...key, ...form, '-o', at(name)])
    expect([code, err]).toEqual([2, expect.stringContaining(expected)])
    expect(await readFile(at('public.key'), 'utf8')).toBe(before)
    expect(await readFile(at('notes.txt'), 'utf8')).toBe('call Anna')
  })

  it('reports messages that do not verify, continues, and has exit code 1', async () => {
    const [{ key, signingKey, sealed }, stranger] = [await signer(), await signer()]
    const altered = text((await sealed()).a).replace('edge-7', 'edge-8')
    const { code, err } = await heard([...key, '-n', '1'], async () => {
      await say(stranger.signingKey)
      await publishTo(broker(), 'fabric/a', [utf8(altered)])
      await say(signingKey)
    })
    expect([code, err]).toEqual([1, expect.stringMatching(/✗ fabric\/a {2}SIGNATURE_INVALID .*\n/)])
    expect(err).toMatch(/\? fabric\/a {2}SIGNER_UNKNOWN .*\n/)
  })

  it('reports messages of an unknown signer as undecided, and has exit code 2', async () => {
    const [{ key, signingKey }, stranger] = [await signer(), await signer()]
    const { code, err } = await heard([...key, '-n', '1'], async () => {
      await say(stranger.signingKey)
      await say(signingKey)
    })
    expect([code, err]).toEqual([2, expect.stringContaining('? cannot tell: ')])
    expect(err).not.toContain('✗')
  })

  it('keeps messages that do not verify in a file of dead letters, and continues', async () => {
    const { at, key, signingKey } = await signer()
    const stray = ['{\n  "celsius": 21\n}\n', 'a\r\nb', '']
    const letters = ['--dead-letters', at('dead.ndjson')]
    const { code, err } = await heard([...key, ...letters, '-n', '1'], async () => {
      await publishTo(
        broker(),
        'fabric/b',
        stray.map((one) => utf8(one)),
      )
      await say(signingKey)
    })
    expect([code, err]).toEqual([1, expect.stringContaining('3 refused')])
    const lines = (await readFile(at('dead.ndjson'), 'utf8')).trimEnd().split('\n')
    const kept = lines.map((line) => openDeadLetter(utf8(line)))
    expect(kept.map(({ message }) => text(message as Uint8Array))).toEqual(stray)
    expect(kept[0]).toMatchObject({ topic: 'fabric/b', code: 'MESSAGE_MALFORMED' })
  })

  it('ends if the file of dead letters cannot be written', async () => {
    const { at, key } = await signer()
    const letters = ['--dead-letters', at('no/such/folder')]
    const { code, err } = await alvarium(['listen', broker().url, 'fabric/#', ...key, ...letters])
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/--dead-letters .*folder: expected a file that can be opened/),
    ])
  })

  it('reports its progress when it is interrupted', async () => {
    const { key, signingKey } = await signer()
    const stop = new AbortController()
    const acknowledged = new Promise((resolve) => broker().aedes.once('ack', resolve))
    const sayAndStop = async () => {
      await say(signingKey)
      await acknowledged
      stop.abort()
    }
    const { code, err } = await heard(key, sayAndStop, { signal: stop.signal })
    expect([code, err]).toEqual([
      130,
      expect.stringMatching(/✓ holds: \d+ messages? .*: \d+ verified; \d+ shown/),
    ])
  })

  it.each([
    ['UTF-16, as PowerShell writes it,', 'utf16le', 'UTF-16: save it as UTF-8'],
    ['Latin-1', 'latin1', 'other bytes'],
  ] as const)('refuses a password file that is %s instead of UTF-8', async (_, encoding, got) => {
    const { key, write } = await signer()
    const password = await write('password', Buffer.from('\ufeffp\u00e4ss', encoding))
    const given = ['--username', 'u', '--password-file', password]
    const { code, err } = await alvarium(['listen', 'mqtt://127.0.0.1:1', 't', ...key, ...given])
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`expected a file of UTF-8 that can be read, got ${got}`),
    ])
  })
})
