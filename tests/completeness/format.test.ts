import { generateKey } from 'alvarium-sdk'
import { isCheckpoint, verifyCheckpoint } from 'alvarium-sdk/completeness'
import { readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { fromHex, utf8 } from '../support/bytes.js'
import { goldenMessage, messageOf, noteOf } from '../support/checkpoints.js'
import { countedTurns } from '../support/turns.js'
import { goldenCheckpoints } from '../support/vectors.js'

const { cases, publicKey, roots } = goldenCheckpoints()
const keyring = [fromHex(publicKey)]
const [first, , third] = cases.map(({ text }) => text) as [string, string, string]
const verdictOn = (message: Uint8Array) =>
  verifyCheckpoint(message, { keyring }).then(
    () => 'verified',
    ({ code }) => code,
  )

describe('a checkpoint', () => {
  it.each(cases)(
    'has the content that the Python implementation wrote: case %#',
    async ({ message, note }) => {
      const checkpoint = await verifyCheckpoint(utf8(message), { keyring })
      expect(checkpoint.note).toBe(note)
      expect(checkpoint.root).toBe(roots[checkpoint.size])
      expect(checkpoint.from.root).toBe(roots[checkpoint.from.size])
      expect(checkpoint.entries.length).toBe(checkpoint.size - checkpoint.from.size)
    },
  )

  it('contains the listed, the pending and the refused messages', async () => {
    const { entries, pending, refused, isLast, after } = await verifyCheckpoint(goldenMessage(third), {
      keyring,
    })
    expect(entries.map(({ bundles }) => bundles)).toEqual([256, 1, 1, 2])
    expect(pending).toEqual([{ first: 4, last: 4 }])
    expect(refused).toEqual([
      { first: 1, last: 1 },
      { first: 6, last: 7 },
    ])
    expect([isLast, after]).toEqual([false, undefined])
    expect((await verifyCheckpoint(goldenMessage(first), { keyring })).after?.size).toBe(12)
  })

  it('is distinguished from a bundle by its first bytes', () => {
    const message = utf8(cases[0]?.message ?? '')
    expect([message, utf8(` \n${cases[0]?.message}`)].map(isCheckpoint)).toEqual([true, true])
    expect(
      ['', ' ', '{}', '{"messageType":"alvarium.AnnotationBatch/1"}'].map(utf8).map(isCheckpoint),
    ).toEqual([false, false, false, false])
  })

  it('with thousands of messages is read in parts, between which the event loop runs', async () => {
    const ids = Array.from({ length: 8_192 }, (_, at) => `batch 2 ${btoa(`${at}`.padStart(8))}`)
    const [origin, , root, , from] = first.split('\n') as string[]
    const at = from?.split(' ').at(-1)
    const text = [origin, ids.length, root, 'number 0', from, `at ${at}`, ...ids, ''].join('\n')
    const message = goldenMessage(text)
    const turns = await countedTurns(3)
    const { entries } = await verifyCheckpoint(message, { keyring })
    turns.end()
    expect(entries).toHaveLength(ids.length)
    expect(turns.count).toBeGreaterThan(2)
  })

  // claim: format-51
  it('of an unknown signer is reported as SIGNER_UNKNOWN before the rest of the text is read', async () => {
    const others = [generateKey().verifyingKey]
    const text = `${first.split('\n')[0]}\nno checkpoint\n`
    await expect(verifyCheckpoint(goldenMessage(text), { keyring: others })).rejects.toMatchObject({
      code: 'SIGNER_UNKNOWN',
    })
  })

  it('is verified by the time of receipt if its signer was revoked', async () => {
    const signers = [{ name: 'gateway-1', keys: [publicKey], revoked: { since: '2026-11-20T12:00:00Z' } }]
    const trust = await readTrust({ signers })
    const at = (receivedAt?: Date) => verifyCheckpoint(goldenMessage(first), { keyring: trust, receivedAt })
    expect((await at(new Date('2026-11-20T11:59:59Z'))).signedBy).toMatchObject({
      name: 'gateway-1',
      time: 'received',
    })
    await expect(at(new Date('2026-11-20T12:00:00Z'))).rejects.toMatchObject({ code: 'SIGNER_REVOKED' })
    await expect(at()).rejects.toMatchObject({ code: 'SIGNER_REVOKED' })
    const past = await readTrust({
      signers: [{ name: 'a', keys: [publicKey], until: '2026-11-20T09:00:00Z' }],
    })
    await expect(verifyCheckpoint(goldenMessage(first), { keyring: past })).rejects.toMatchObject({
      code: 'SIGNER_EXPIRED',
    })
    await Promise.all([trust.close(), past.close()])
  })
})

describe('a checkpoint with a valid signature', () => {
  const swap = (from: string | RegExp, to: string) => third.replace(from, to)
  const EMPTY = `${btoa(String.fromCharCode(...fromHex(roots[0] ?? '')))}`
  const rows: [string, string][] = [
    ['no list', swap(/^bundles.*\n/m, '')],
    ['an additional batch line', swap('batch 2', 'batch 2 AAAAAAAAAAA=\nbatch 2')],
    ['a size beyond what doubles hold', swap(/^9$/m, '9007199254740992')],
    ['a size of 2^64', swap(/^9$/m, '18446744073709551616')],
    ['a size with a leading zero', swap(/^9$/m, '09')],
    ['a size with a sign', swap(/^9$/m, '+9')],
    ['a size below the previous size', swap('from 5', 'from 10')],
    ['a root that is too short', swap(/^(9\n).*$/m, '$1AAAA')],
    ['a root in base64 without padding', swap(/^(9\n.*)=$/m, '$1')],
    ['another root for the same size', cases[3]?.text.replace(/^9\n.*$/m, `9\n${EMPTY}`) ?? ''],
    ['a wrong root of an empty log', first.replaceAll(EMPTY, `A${EMPTY.slice(1)}`)],
    ['a first checkpoint that does not begin at 0', swap('number 2', 'number 0')],
    ['a time without a time zone', swap(/^(at .*)Z$/m, '$1')],
    ['a day that does not exist', swap(/^at 2026-11-20/m, 'at 2026-11-31')],
    ['a time before that of the previous checkpoint', swap(/^at 2026/m, 'at 2025')],
    ['ranges in descending order', swap('refused 1 6-7', 'refused 6-7 1')],
    ['adjacent ranges', swap('refused 1 6-7', 'refused 5 6-7')],
    ['a range with equal ends', swap('refused 1 6-7', 'refused 1 7-7')],
    ['a range beyond the size', swap('refused 1 6-7', 'refused 1 6-9')],
    ['a range up to 2^53', swap('refused 1 6-7', 'refused 1 6-9007199254740993')],
    ['two spaces', swap('refused 1 6-7', 'refused 1  6-7')],
    [
      'too many ranges',
      swap('refused 1 6-7', `refused ${Array.from({ length: 16_385 }, (_, at) => 2 * at).join(' ')}`),
    ],
    ['an empty batch', swap('batch 256', 'batch 0')],
    ['a batch that is too large', swap('batch 256', 'batch 65537')],
    ['a batch with a hash of full length', swap(/^(batch 2) .*$/m, `$1 ${EMPTY}`)],
    ['a truncated id', swap(/^(bundles) .*$/m, '$1 AAAAAA==')],
    ['a list that is too long', swap(/^(bundles) .*$/m, `$1 ${btoa('\0'.repeat(8 * 16_385))}`)],
    ['an empty list', swap(/^(bundles) .*$/m, '$1 ')],
    ['lines in another order', swap(/^(pending.*)\n(refused.*)$/m, '$2\n$1')],
    ['an unknown line', `${third}more 1\n`],
    ['text after the end', `${third}end\nend\n`],
    ['an empty line', third.replace('number', '\nnumber')],
    ['a carriage return', third.replaceAll('\n', '\r\n')],
    ['no line feed at its end', third.slice(0, -1)],
  ]

  it.each(rows)('is malformed with %s', async (_, text) => {
    expect(text).not.toBe(third)
    expect(await verdictOn(goldenMessage(text))).toBe('MESSAGE_MALFORMED')
  })
})

// claim: format-48
describe("the note around a checkpoint's text", () => {
  const message = goldenMessage(third)
  const note = noteOf(message)
  const line = note.split('\n').at(-2) ?? ''
  const [, name = '', sealed = ''] = line.split(' ')

  // claim: format-50
  it('may contain up to 15 signature lines of witnesses', async () => {
    const witness = `\u2014 witness.example/a ${btoa('12345')}\n`
    expect(await verdictOn(messageOf(`${note}${witness}`))).toBe('verified')
    expect(await verdictOn(messageOf(note.replace(line, `${witness}${line}`)))).toBe('verified')
    const ofAnotherKey = `\u2014 ${name} ${btoa(`0000${atob(sealed).slice(4)}`)}\n`
    expect(await verdictOn(messageOf(`${note}${ofAnotherKey}`))).toBe('verified')
    expect(await verdictOn(messageOf(`${note}${witness.repeat(15)}`))).toBe('verified')
  })

  it.each([
    [
      'no signature line of the signer',
      note.replace(name, 'witness.example/a').replace(line, line.replace(name, 'other')),
    ],
    ['two signature lines of the signer', `${note}${line}\n`],
    ['too many signature lines', note + `\u2014 w ${btoa('12345')}\n`.repeat(16)],
    ['a hyphen in place of the dash', note.replace('\u2014', '-')],
    ['a space in the name of the signer', note.replace(line, line.replace(name, `${name} x`))],
    ['a signature in non-canonical base64', note.replace(sealed, sealed.slice(0, -1))],
    ['a signature line that is too long', `${note}\u2014 w ${btoa('x'.repeat(9000))}\n`],
    ['a control character', note.replace('number', '\tnumber')],
    ['a lone surrogate', note.replace(line, `${line}\n\u2014 \ud800 ${btoa('12345')}`)],
  ])('is malformed with %s', async (_, changed) => {
    expect(changed).not.toBe(note)
    expect(await verdictOn(messageOf(changed))).toBe('MESSAGE_MALFORMED')
  })

  it('does not verify after a change of the text or of the signature', async () => {
    expect(await verdictOn(messageOf(note.replace('pending 4', 'pending 3')))).toBe('SIGNATURE_INVALID')
    const flipped = `${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`
    expect(await verdictOn(messageOf(note.replace(sealed, flipped)))).toBe('SIGNATURE_INVALID')
  })

  it.each([
    ['members in the wrong order', JSON.stringify({ content: note, messageType: 'alvarium.Checkpoint/1' })],
    ['an unknown member', JSON.stringify({ messageType: 'alvarium.Checkpoint/1', content: note, more: 1 })],
    [
      'a repeated member',
      JSON.stringify({ messageType: 'alvarium.Checkpoint/1', content: note }).replace(
        '"content"',
        '"content":"","content"',
      ),
    ],
    ['unnecessary escapes', new TextDecoder().decode(message).replace('\u2014', '\\u2014')],
    ['white space between tokens', new TextDecoder().decode(message).replace(':', ': ')],
    ['a leading byte order mark', `\ufeff${new TextDecoder().decode(message)}`],
    ['truncated JSON', '{"messageType":"alvarium.Checkpoint/1","content":"'],
    ['a bundle', '{"messageType":"alvarium.AnnotationBundle/1","content":{}}'],
    ['too many bytes', new TextDecoder().decode(message) + ' '.repeat(2 ** 21)],
  ])('is malformed in a message that is not canonical JSON: %s', async (_, changed) => {
    expect(await verdictOn(utf8(changed))).toBe('MESSAGE_MALFORMED')
  })

  it('is refused in a message that is not UTF-8 or not bytes', async () => {
    expect(
      await verdictOn(Uint8Array.from([...message.subarray(0, 60), 0xff, ...message.subarray(60)])),
    ).toBe('MESSAGE_MALFORMED')
    await expect(verifyCheckpoint('text' as never, { keyring })).rejects.toThrow(TypeError)
    await expect(verifyCheckpoint(message, { keyring, payload: message } as never)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
  })
})
