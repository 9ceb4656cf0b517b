import { readFile, writeFile } from 'node:fs/promises'
import { generateKey, keyOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { describe, expect, it } from 'vitest'
import { alvarium, withoutFolder } from '../cli/command.js'
import { signer, text } from '../cli/messages.js'
import { textOf, utf8 } from '../support/bytes.js'
import { craftedBundle, craftedCheckpoint, runOf } from '../support/crafted.js'
import { signer as newSigner } from '../support/packs.js'
import { rezipped } from '../support/rezipped.js'
import { entriesOf, partChanged, remade } from '../support/zip.js'

// Outcomes of `alvarium pack`, as packs.md and the help of the command promise them.

const [device, store, other] = [newSigner('device'), newSigner('store'), newSigner('other')]
const good = craftedBundle(device)
const bad = craftedBundle(device, { action: 'transit', says: { tls: false } })

async function bench() {
  const { at, write } = await signer()
  const keyFile = (one: typeof device) => write(`${one.keyId}.pub`, toHex(one.verifyingKey))
  const pack = async (...args: string[]) => {
    const { out, err, code } = await alvarium(['pack', ...args])
    return { out: withoutFolder(out), err: withoutFolder(err), code }
  }
  const file = async (name: string, messages: readonly Uint8Array[]) =>
    write(name, `${messages.map(text).join('\n')}\n`)
  const payload = ['--payload', await write('reading', 'a reading')]
  const zip = at('evidence.zip')
  const key = ['-k', await keyFile(device)]
  return { at, write, pack, file, payload, zip, key, keyFile }
}

/** Compares the exit codes of make and of verify on the same file, under the same trust. */
async function codes(
  messages: readonly Uint8Array[],
  args: (given: Awaited<ReturnType<typeof bench>>) => string[],
) {
  const all = await bench()
  const made = await all.pack(
    'make',
    await all.file('m.ndjson', messages),
    ...args(all),
    '-o',
    all.zip,
    ...all.key,
  )
  const verified = await all.pack('verify', all.zip, ...all.key)
  return { codes: [made.code, verified.code], made, verified, ...all }
}

describe('alvarium pack make', () => {
  // claim: packs-33
  it.each([
    ['a good pack', [good.message], 0],
    ['a message of an unknown signer', [good.message, craftedBundle(other).message], 2],
    ['an altered message', [good.message, utf8(textOf(bad.message).replace('edge-7', 'edge-8'))], 1],
    ['no message about the payload', [craftedBundle(device, { about: 'another' }).message], 2],
  ] as const)('exits with the same code as pack verify on the same file: %s', async (_, messages, code) => {
    expect((await codes(messages, ({ payload }) => payload)).codes).toEqual([code, code])
    if (_ !== 'no message about the payload')
      expect((await codes(messages, () => ['--query', 'all'])).codes).toEqual([code, code])
  })

  it('exits with the same code as pack verify if checkpoints list messages that the pack lacks', async () => {
    const note = craftedCheckpoint(device, {
      run: runOf('a'),
      number: 0,
      leaves: [good.leaf, bad.leaf],
      end: true,
    })
    const messages = [good.message, note]
    expect((await codes(messages, ({ payload }) => payload)).codes).toEqual([0, 0])
    expect((await codes(messages, () => ['--query', 'all'])).codes).toEqual([1, 1])
    const log = await codes(messages, () => ['--log'])
    expect(log.codes).toEqual([1, 1])
    expect(log.verified.out).toMatch(
      /✗ 1 message missing at position 1 of run aaaaaaaaaaaa… of \w+…, signed between 2026-/,
    )
  })

  it('packs, from an unknown signer, only messages that name the payload', async () => {
    const theirs = [craftedBundle(other), craftedBundle(other, { about: 'another' })]
    const { verified } = await codes(
      [good, ...theirs].map(({ message }) => message),
      ({ payload }) => payload,
    )
    expect(verified.out).toContain('1 of 2 messages verified, 1 of unknown signers')
  })

  it('packs a batch of an unknown signer if one of its bundles is about the payload', async () => {
    const { signingKey } = generateKey()
    const stream = memory()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream, batch: {} })
    await sdk.createMany([utf8('a reading'), utf8('another')])
    await sdk.close()
    const { verified } = await codes([good.message, ...stream.messages], ({ payload }) => payload)
    expect(verified.out).toContain('1 of 2 messages verified, 1 of unknown signers')
  })

  it('reports how many messages are left out because their payloads are unreadable', async () => {
    const { made } = await codes(
      [good.message, utf8('{"messageType":"x","content":"none"}')],
      ({ payload }) => payload,
    )
    expect(made.err).toContain('left out, as nobody can read what they are about: 1 message')
  })

  it('packs all runs of a signer that was restarted', async () => {
    const [messages, who] = [[] as Uint8Array[], newSigner()]
    for (const run of [1, 2]) {
      const [stream, notes] = [memory(), memory()]
      const sdk = await openSdk({
        signingKey: who.signingKey,
        annotators: [source()],
        stream,
        checkpoints: checkpoints({ stream: notes, everyMs: 3_600_000 }),
      })
      await sdk.create(utf8(`of run ${run}`))
      await sdk.close()
      messages.push(...stream.messages, ...notes.messages)
    }
    const { pack, file, zip, keyFile } = await bench()
    const key = ['-k', await keyFile(who)]
    const made = await pack('make', await file('m.ndjson', messages), '--log', '-o', zip, ...key)
    expect([made.code, made.err]).toEqual([0, ''])
    const verified = await pack('verify', zip, ...key)
    expect(verified.out).toContain('each run whole by log')
    expect(verified.out).toContain('all messages of 2 runs')
  })

  it('requires --signer if there are checkpoints of several signers', async () => {
    const note = (who: typeof device, leaf: Uint8Array) =>
      craftedCheckpoint(who, { run: runOf('a'), number: 0, leaves: [leaf], end: true })
    const theirs = craftedBundle(store)
    const { pack, file, zip, key, keyFile } = await bench()
    const sources = await file('m.ndjson', [
      ...[good.message, theirs.message],
      ...[note(device, good.leaf), note(store, theirs.leaf)],
    ])
    const keys = [...key, '-k', await keyFile(store)]
    const make = (...args: string[]) => pack('make', sources, ...args, '-o', zip, ...keys)
    expect((await make('--log')).err).toContain(
      '--log: expected checkpoints of one signer (choose the signer with --signer), got checkpoints of ',
    )
    expect((await make('--query', 'x', '--signer', 'y')).err).toContain('--signer: works only with --log')
    const made = await make('--log', '--signer', store.keyId, '--from', '2026-01-01T00:10:00Z')
    expect(made.out).toContain('signed from 2026-01-01T00:10:00.000000Z to 2026-01-01T01:00:00.000000Z')
    expect(made.code).toBe(0)
  })
})

describe('alvarium pack verify', () => {
  it('ends with the outcome "cannot tell" without a key or a policy of the reader, and names the options', async () => {
    const { pack, zip } = await codes([good.message], ({ payload }) => payload)
    const { out, code } = await pack('verify', zip)
    expect(code).toBe(2)
    expect(out).toMatch(/^\? About .+ consistent with itself, and no more/)
    expect(out).toMatch(/--key or --trust.+--itself/)
    expect(await pack('verify', zip, '--itself')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ /),
    })
    expect((await pack('verify', zip, '--itself', '-k', zip)).err).toContain('--itself')
  })

  it('exits with 1 for an altered pack, and with 2 for a pack that was zipped again or a file that is no ZIP file', async () => {
    const { pack, zip, key, at } = await codes([good.message], ({ payload }) => payload)
    const bytes = new Uint8Array(await readFile(zip))
    const file = at('other.zip')
    const judged = async (changed: Uint8Array) => {
      await writeFile(file, changed)
      return pack('verify', file, ...key)
    }
    const part = partChanged('messages/00000.ndjson', (line) => line.replace('edge-7', 'edge-8'))
    expect((await judged(remade(bytes, part))).code).toBe(1)
    expect((await judged(bytes.subarray(0, -1))).code).toBe(1)
    expect((await judged(bytes.with(200, (bytes[200] as number) ^ 1))).code).toBe(1)
    expect(await judged(rezipped(entriesOf(bytes)))).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^\? pack: .+ another program has rewritten.+\n {2}Get the file/),
    })
    expect(await judged(utf8('{"a":1}'))).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^\? pack: expected a ZIP/),
    })
    expect(JSON.parse((await pack('verify', file, '--json')).out)).toMatchObject({
      outcome: 'cannot tell',
      code: 'PACK_UNREADABLE',
      needs: expect.any(String),
    })
  })

  it('lists all statements with their signers, and a row for each signer', async () => {
    const { pack, zip, key } = await codes([good.message, bad.message], ({ payload }) => payload)
    const { out } = await pack('verify', zip, '--list', ...key)
    const rows = out.split('\n')
    expect(rows[0]).toBe(
      `  ${device.keyId}  2 statements  1 yes, 1 no  2026-01-01T00:00:00Z to 2026-01-01T00:00:00Z`,
    )
    const short = keyOf(utf8('a reading')).slice(0, 12)
    expect(rows[1]).toBe(`  ${device.keyId}  edge-7  2026-01-01T00:00:00Z  create  ${short}…  src yes`)
    expect(rows[2]).toBe(`  ${device.keyId}  edge-7  2026-01-01T00:00:00Z  transit  ${short}…  tls no`)
    const json = JSON.parse((await pack('verify', zip, '--json', ...key)).out)
    expect(json.signers).toMatchObject([{ signer: device.keyId, statements: 2, yes: 1, no: 1 }])
    expect(json.statements).toMatchObject([
      { signer: device.keyId, host: 'edge-7', action: 'create', yes: ['src'], no: [] },
      { action: 'transit', yes: [], no: ['tls'] },
    ])
  })

  it('puts a signer’s name in quotation marks if only the author of the pack uses this name', async () => {
    const { pack, zip, write, file, payload } = await bench()
    const signers = [{ name: '\u001b[2J✓', keys: [toHex(device.verifyingKey)] }]
    const trust = await write('trust.json', JSON.stringify({ signers }))
    await pack('make', await file('m.ndjson', [good.message]), ...payload, '-o', zip, '--trust', trust)
    expect((await pack('verify', zip, '--list')).out).toMatch(/^ {2}"\ufffd\[2J✓" {2}1 statement/)
  })
})
