import { readFile } from 'node:fs/promises'
import {
  extractBundle,
  generateKey,
  identityBytes,
  keyOf,
  memory,
  openSdk,
  source,
  toHex,
} from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { proveInput } from 'alvarium-sdk/sets'
import { issueLease } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { caseOf } from '../support/classic.js'
import { alvarium } from './command.js'
import { ofMany, SET, signer, text } from './messages.js'

describe('alvarium inspect', () => {
  // claim: command-9
  it('shows the content of a message and the signed bytes, without a key', async () => {
    const { keyId, sealed } = await signer()
    const { a } = await sealed()
    const { code, out } = await alvarium(['inspect'], { input: a })
    expect(code).toBe(0)
    expect(out).toMatch(/^not verified/)
    expect(out).toContain(`signer      ${keyId}`)
    expect(out).toContain('000000  61 6c 76 61 72 69 75 6d 2e 41 6e 6e 6f 74 61 74  alvarium.Annotat')
  })

  it('writes the signed bytes and the signature in hexadecimal with --json', async () => {
    const { sealed } = await signer()
    const { a } = await sealed()
    const { out } = await alvarium(['inspect', '--json', text(a)])
    const [{ bytes, signature }] = JSON.parse(out).signed
    expect([bytes, signature]).toEqual([toHex(identityBytes(a)), JSON.parse(text(a)).content.signature])
  })

  it('shows the position of a bundle in its batch, and the number of hashes that lead to the signed root', async () => {
    const { sealed } = await signer()
    const { out } = await alvarium(['inspect'], { input: extractBundle((await sealed()).batch, 1) })
    expect(out).toContain('a batch of 3, at 1; 2 hashes lead to its root')
  })

  it('shows each bundle of a batch', async () => {
    const { sealed } = await signer()
    const { out } = await alvarium(['inspect'], { input: (await sealed()).batch })
    expect(out.match(/^ {2}bundle \d/gm)).toHaveLength(3)
  })

  it('shows the first of many inputs, and the number of all inputs', async () => {
    const { signingKey } = await signer()
    const { a } = await ofMany(signingKey, 7)
    const { out } = await alvarium(['inspect'], { input: a })
    expect(out).toContain(`  made from   all of the set ${SET}\n              ${keyOf(utf8('0'))} (sha256)\n`)
    expect(out).toContain(
      `${keyOf(utf8('3'))} (sha256)\n              … and 3 more inputs (--json has all)\n`,
    )
    expect(out).not.toContain(keyOf(utf8('4')))
    expect(
      JSON.parse((await alvarium(['inspect', '--json'], { input: a })).out).bundles[0].inputs,
    ).toHaveLength(8)
  })

  it('shows the signed part of a classic message', async () => {
    const { message } = caseOf('go', 'create-bytes1000')
    const { out } = await alvarium(['inspect', message])
    expect(out).toContain('(Go SDK format)')
    expect(out).toContain('{"id":"')
  })

  it('shows no check mark next to an annotation, because nothing was verified', async () => {
    const { sealed } = await signer()
    const { out } = await alvarium(['inspect'], { input: (await sealed()).a })
    expect(out).toContain('annotation  src says yes')
    expect(out).toContain('annotation  doubt says no')
    expect(out).not.toMatch(/[✓✗]/)
  })

  it('shows a set, its proofs and an update, as alvarium set writes them', async () => {
    const { at, write, keyId } = await signer()
    const rows = await write('rows.csv', 'id\n1\n2\n3\n')
    const less = await write('less.csv', 'id\n1\n3\n')
    const set = (...args: string[]) => alvarium(['set', ...args])
    await set('seal', rows, '-k', at('private.key'), '-n', 'may', '-o', at('set.json'), '-l', at('set.list'))
    await set('seal', less, '-k', at('private.key'), '-o', at('less.json'), '-l', at('less.list'))
    await set('prove', at('set.list'), rows, '--record', '2', '-o', at('member.json'))
    await set('prove', at('less.list'), rows, '--record', '2', '-o', at('absent.json'), '--expect', 'absent')
    await set('update', at('set.list'), at('less.list'), '-o', at('update.json'))
    const inspected = async (name: string) => (await alvarium(['inspect', at(name)])).out
    expect(await inspected('set.json')).toMatch(
      new RegExp(`^not verified.*\\n  type +alvarium.Set/1\\n  signer +${keyId}\\n  name +may\\n`),
    )
    expect(await inspected('set.json')).toContain('  payloads    3, 3 different\n')
    expect(await inspected('set.json')).toContain('alvarium.Set/1')
    expect(await inspected('member.json')).toMatch(/type +alvarium.SetProof\/1\n {2}says +member\n/)
    expect(await inspected('absent.json')).toMatch(
      /says +absent\n(.*\n)* {2}shows +(1 entry|2 entries) from place \d\n/,
    )
    expect(await inspected('member.json')).toMatch(/signed by +nobody/)
    expect(await inspected('update.json')).toMatch(
      /type +alvarium.SetUpdate\/1\n(.*\n)* {2}shows +0 added, 1 removed/,
    )
  })

  it('shows a proof of an input', async () => {
    const { signingKey } = await signer()
    const { a } = await ofMany(signingKey, 3)
    const { out } = await alvarium(['inspect'], { input: await proveInput(a, 1) })
    expect(out).toMatch(
      /type +alvarium.InputProof\/1\n {2}input +\w{64} \(sha256\)\n {2}place +1 of 4 inputs/,
    )
  })

  it('shows a lease with both of its signatures, and a checkpoint with its number of messages', async () => {
    const { signingKey, keyId } = await signer()
    const subject = generateKey()
    const lease = await issueLease(signingKey, {
      subject: subject.signingKey,
      name: 'edge-7',
      hosts: ['edge-7'],
    })
    const { out } = await alvarium(['inspect'], { input: lease })
    expect(out).toMatch(
      new RegExp(`type +alvarium.Lease/1\\n  issuer +${keyId}\\n  lets sign +${subject.keyId}\\n`),
    )
    expect(out).toMatch(/hosts +edge-7\n/)
    expect(out.match(/^ {2}signature /gm)).toHaveLength(2)
    const stream = memory()
    const own = checkpoints({ stream, every: 2 })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), checkpoints: own })
    for (const one of ['a', 'b']) await sdk.create(utf8(one))
    await sdk.close()
    const last = await alvarium(['inspect'], { input: stream.messages.at(-1) ?? '' })
    expect(last.out).toMatch(/type +alvarium.Checkpoint\/1\n(.*\n)* {2}size +2 messages, root/)
    expect(last.out).toMatch(/run +\w{32}, which has ended\n/)
  })

  it("shows an evidence pack, its parts, and its author's sentence in quotation marks", async () => {
    const { at, key, sealed, write } = await signer()
    const messages = await write('m.ndjson', text((await sealed()).a))
    const about = ['--query', 'verified\u001b[2J']
    await alvarium(['pack', 'make', messages, ...key, '-o', at('e.zip'), ...about])
    const { code, out } = await alvarium(['inspect', at('e.zip')])
    expect([code, out]).toEqual([0, expect.stringMatching(/type +alvarium.Pack\/1\n {2}id +[\da-f]{64}\n/)])
    expect(out).toContain('about       {"query":"verified\\u001b[2J"}\n')
    expect(out).toMatch(/parts +4 parts\n +score.json, \d+ bytes\n +trust.json/)
    expect(out).toContain('messages/00000.ndjson')
    const piped = await alvarium(['inspect'], { input: await readFile(at('e.zip')) })
    expect(piped.out).toBe(out)
  })

  it.each<[string, string | Uint8Array, string]>([
    ['a key', `${'1a'.repeat(32)}\n`, 'got another format'],
    ['bytes', new Uint8Array(64).fill(7), 'got another format'],
    ['a policy', '{"signers":[]}', 'JSON without a messageType'],
    [
      'a message of a later version',
      '{"messageType":"alvarium.Set/2"}',
      'JSON with the messageType "alvarium.Set/2"',
    ],
    [
      'a message of an unknown type',
      '{"messageType":"x\\u001b[2J"}',
      'JSON with the messageType "x\\u001b[2J"',
    ],
    ['two messages', '{"messageType":"x"}\n{"messageType":"y"}', 'one message'],
    ['a ZIP file', 'PK\x03\x04 and more', 'a ZIP file'],
    ['a gzip file', Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0), 'a damaged file'],
  ])(
    'refuses an unsupported file with exit code 2, and names the given format: %s',
    async (_, input, got) => {
      const { code, out, err } = await alvarium(['inspect'], { input })
      expect([code, out, err]).toEqual([2, '', expect.stringContaining(got)])
      expect(err).not.toContain('\u001b')
    },
  )

  it('reports the fault of an invalid message', async () => {
    const { code, err } = await alvarium(['inspect', '{"action":"create"}'])
    expect([code, err]).toEqual([2, expect.stringMatching(/^alvarium: .*expected/)])
  })
})
