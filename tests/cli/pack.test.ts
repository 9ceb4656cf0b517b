import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKey, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { makePack, verifyPack } from 'alvarium-sdk/packs'
import { sealManifest, sealSet } from 'alvarium-sdk/sets'
import { describe, expect, it } from 'vitest'
import { concat, fromBase64, textOf, utf8 } from '../support/bytes.js'
import { caseOf } from '../support/classic.js'
import { logged } from '../support/packs.js'
import { vectorBytes } from '../support/vectors.js'
import { entriesOf } from '../support/zip.js'
import { alvarium, withoutFolder } from './command.js'
import { signer, text } from './messages.js'

/** Writes three messages and a batch about the payloads a, b and c, and returns functions that pack and verify them. */
async function packs() {
  const { at, key, write, cwd, sealed, signingKey } = await signer()
  const { a, b, c, batch } = await sealed()
  const messages = await write('messages.ndjson', `${[a, b, c, batch].map(text).join('\n')}\n`)
  const pack = async (...args: string[]) => {
    const { out, err, code } = await alvarium(['pack', ...args])
    return { out: withoutFolder(out), err: withoutFolder(err), code }
  }
  const make = (...args: string[]) => pack('make', messages, '-o', at('evidence.zip'), ...key, ...args)
  const verify = (...args: string[]) => pack('verify', at('evidence.zip'), ...args)
  return { at, key, write, cwd, signingKey, messages, batch, pack, make, verify }
}

/**
 * Writes a model, its training set of five images with its list, and messages about all of them and another payload.
 * Returns functions that pack them.
 */
async function trained() {
  const { at, key, write, signingKey } = await signer()
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, host: 'edge-7' })
  const images = Array.from({ length: 5 }, (_, image) => utf8(`image ${image}`))
  const { message, set, list } = await sealSet(images, { signingKey, name: 'training-7' })
  await sdk.createMany([...images, utf8('nothing to do with it')])
  await sdk.mutate([{ set: set.id }], utf8('the model'))
  await sdk.close()
  const messages = await write('messages.ndjson', `${[...stream.messages, message].map(text).join('\n')}\n`)
  const setFile = await write('set.json', message)
  const listFile = await write('set.list', concat(...list.pieces()))
  const model = await write('model.bin', 'the model')
  const make = async (...args: string[]) => {
    const { out, err, code } = await alvarium(['pack', 'make', messages, '-o', at('e.zip'), ...key, ...args])
    return { out: withoutFolder(out), err: withoutFolder(err), code }
  }
  return { at, write, signingKey, images, message, list, setFile, listFile, model, make }
}

describe('alvarium pack verify', () => {
  it('shows the first 20 lines that do not verify, and counts all others', async () => {
    const { key, write, pack } = await packs()
    const none = Array.from({ length: 1_003 }, () => utf8('{"messageType":"x","content":"none"}'))
    const trust = { signers: [{ name: 'nobody', keys: [toHex(generateKey().verifyingKey)] }] }
    const pieces: Uint8Array[] = []
    for await (const piece of makePack(none, { about: { query: 'all' }, trust })) pieces.push(piece)
    const { out, code } = await pack('verify', await write('none.zip', concat(...pieces)), ...key)
    expect(out.split('\n')[20]).toBe('  983 more lines: --json shows the first 1,000')
    expect(code).toBe(1)
  })
})

describe('alvarium pack make, with or without --list,', () => {
  it('packs a model with a proof for each payload in its training set', async () => {
    const { at, make, model, listFile } = await trained()
    expect(await make('--payload', model, '--list', listFile)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^✓ e\.zip: About the payload .+6 of 6 messages verified .+completeness is not proven\./,
      ),
    })
    const { outcome, verdict } = await verifyPack(await readFile(at('e.zip')), { itself: true })
    expect(outcome).toBe('holds')
    expect(verdict).toMatchObject({
      score: 1,
      lines: { sets: { verified: 1 }, proofs: { verified: 5 } },
    })
  })

  it('reports that the score of a model is unknown without the --list of the set that the model was made from', async () => {
    const { make, model } = await trained()
    const { out, code } = await make('--payload', model)
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('? its score is unknown: it was made from a set without its --list'),
    ])
  })

  it('leaves out a manifest, and prints a note about that', async () => {
    const { write, signingKey, key, messages, pack, verify, at } = await packs()
    const { message } = await sealManifest([utf8('1')], { signingKey })
    const manifest = await write('a.manifest.json', message)
    const made = await pack('make', messages, manifest, '-o', at('evidence.zip'), ...key, '--query', 'all')
    expect([made.code, made.err]).toEqual([
      0,
      expect.stringContaining(
        'left out, as a pack has no such messages: 1 manifest, proof or update of a set',
      ),
    ])
    expect((await verify(...key)).code).toBe(0)
  })

  it('packs all messages about the payloads of a set, and proofs show that none is missing', async () => {
    const { at, make, setFile, listFile } = await trained()
    expect(await make('--set', setFile, '--list', listFile)).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        'whole by proofs: proofs show that these are all 5 payloads of the set that',
      ),
    })
    const { verdict } = await verifyPack(await readFile(at('e.zip')))
    expect(verdict).toMatchObject({
      whole: { word: 'whole by proofs', missing: 0 },
      lines: { sets: { verified: 1 } },
    })
  })

  it('refuses the list of a different set', async () => {
    const { make, write, signingKey, model, setFile, listFile, list } = await trained()
    const errorOf = async (...args: string[]) => {
      const { err, code } = await make(...args)
      expect(code).toBe(2)
      return err
    }
    const other = await write('other.list', concat(...list.pieces()).subarray(32))
    const noList = 'expected the list of a set whose message is in the sources'
    expect(await errorOf('--payload', model, '--list', other)).toContain(
      `--list other.list: ${noList}, got other.list`,
    )
    const long = await write('long.list', new Uint8Array(192))
    expect(await errorOf('--payload', model, '--list', long)).toContain(
      `--list long.list: ${noList}, got long.list: list: expected`,
    )
    const image = await write('image', 'image 0')
    expect(await errorOf('--payload', image, '--list', listFile)).toContain(
      '--list set.list: expected the list of a set that the payload was made from, got the list of another set, of 5 payloads',
    )
    expect(await errorOf('--query', 'x', '--list', listFile)).toContain(
      '--list set.list: works only with --payload or --set',
    )
    expect(await errorOf('--set', setFile)).toContain('--list: needs the list of --set')
    const salted = await sealSet([utf8('a')], { signingKey, salt: new Uint8Array(32) })
    const [saltedSet, saltedList] = [
      await write('salted.json', salted.message),
      await write('salted.list', concat(...salted.list.pieces())),
    ]
    expect(await errorOf('--set', saltedSet, '--list', saltedList)).toContain(
      '--list salted.list: expected the list of a set without a salt',
    )
  })
})

describe('alvarium pack', () => {
  // claim: packs-6
  it('makes a pack about a payload from single bundles and extracted bundles, and verifies the pack', async () => {
    const { at, write, key, make, verify } = await packs()
    const made = await make('--payload', await write('b.bin', 'b'))
    expect(made).toEqual({
      out: expect.stringMatching(/^✓ evidence\.zip: About the payload \w{24}…; 2 of 2 messages verified by/),
      err: '',
      code: 0,
    })
    const found = await verify(...key)
    expect(found.code).toBe(0)
    expect(found.out).toMatch(
      /^✓ About the payload \w{24}…; 2 of 2 messages verified by your own policy, score 50 % by the pack's own policy; completeness is not proven\.\n {2}id \w{64}\n$/,
    )
    expect((await verify('--itself')).out).toContain(
      '2 of 2 messages good by the policy in the pack, score 50 %',
    )
    const [part] = entriesOf(await readFile(at('evidence.zip'))).filter(({ name }) =>
      name.startsWith('messages'),
    )
    expect(text(part?.content as Uint8Array)).not.toContain('BA7816BF')
  })

  it('packs only the bundle about the payload from a batch with unusual white space', async () => {
    const { at, pack, write, key, batch } = await packs()
    const spelled = text(batch).replace('"messageType":', '"messageType" : ')
    const file = await write('batch.json', spelled)
    await pack('make', file, '--payload', await write('b.bin', 'b'), '-o', at('evidence.zip'), ...key)
    const { verdict } = await verifyPack(await readFile(at('evidence.zip')))
    expect(verdict).toMatchObject({ bundles: 1, payloads: 1 })
  })

  it.each(['der', 'jwk'])('trusts a public key in the form %s', async (form) => {
    const { at, pack, write } = await packs()
    await alvarium(['keygen', '-f', form, '-o', at('new.key'), '-p', at('new.pub')])
    const messages = at('new.ndjson')
    await alvarium(['annotate', await write('a.bin', 'a'), '-k', at('new.key'), '-o', messages])
    const make = ['make', messages, '--query', 'x', '-k', at('new.pub'), '-o', at('new.zip')]
    expect(await pack(...make)).toMatchObject({ code: 0, out: expect.stringContaining('1 message') })
  })

  it('skips the pack that it writes into a folder of messages', async () => {
    const { cwd, at, pack, key } = await packs()
    await mkdir(at('archive'))
    await rename(at('messages.ndjson'), at('archive/messages.ndjson'))
    const out = join(cwd, 'archive', '..', 'archive', 'evidence.zip')
    const made = await pack('make', at('archive'), '--query', 'all of it', '-o', out, ...key)
    expect(made).toMatchObject({ code: 0, err: '' })
  })

  it('make refuses standard input, because it reads all messages twice', async () => {
    const { at, messages, key } = await packs()
    const args = ['pack', 'make', '-', '--query', 'x', '-o', at('evidence.zip'), ...key]
    const { code, err } = await alvarium(args, { input: await readFile(messages) })
    expect([code, err]).toEqual([2, expect.stringContaining('files or folders')])
  })

  it("make --seal signs that the pack is complete, with the key of one of the messages' signers", async () => {
    const { at, make, verify, key, write } = await packs()
    const payload = ['--payload-key', 'CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB']
    expect((await make(...payload, '--seal', at('private.key'))).code).toBe(0)
    expect((await verify(...key)).out).toContain(
      'has signed lists exactly these bundles, but no policy of yours',
    )
    const keys = [await readFile(at('public.key'), 'utf8')]
    const trust = await write(
      'trust.json',
      JSON.stringify({ signers: [{ name: 'hall', keys, confirms: true }] }),
    )
    expect((await verify('--trust', trust)).out).toContain(
      'whole by seal: a set that hall has signed lists exactly these bundles',
    )
  })

  it('make --seal also needs the public key in --key if the private key has signed none of the messages', async () => {
    const { make, verify, key, write } = await packs()
    const store = generateKey()
    const [sealing, its] = [
      await write('store.key', toHex(store.signingKey)),
      await write('store-public.key', toHex(store.verifyingKey)),
    ]
    const payload = ['--payload-key', 'CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB']
    const alone = await make(...payload, '--seal', sealing)
    expect([alone.code, alone.err]).toEqual([
      2,
      expect.stringContaining(
        '--seal store.key: expected a private key whose public key is given with --key',
      ),
    ])
    expect((await make(...payload, '--seal', sealing, '-k', its)).code).toBe(0)
    expect((await verify(...key, '-k', its)).out).toContain('has signed lists exactly these bundles')
  })

  // claim: packs-46
  it('makes no pack about a payload that no message is about, such as a file whose records were annotated', async () => {
    const { at, make, write } = await packs()
    const [rows, whole] = [await write('rows.csv', 'x\na\nb\n'), await write('rows.bin', 'none')]
    const { out, err, code } = await make('--payload', rows)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('? cannot tell: no message is about rows.csv, so no pack was made')
    expect(err).toContain(
      'rows.csv was looked up as one payload, but annotate and set seal sign each of its records',
    )
    const other = await make('--payload', whole)
    expect([other.code, other.err]).toEqual([
      2,
      '? cannot tell: no message is about rows.bin, so no pack was made; needs the messages about it\n',
    ])
    expect(await readdir(at(''))).not.toContain('evidence.zip')
  })

  it('packs messages that were signed about the file without its last line end, and reports the difference', async () => {
    const { make, verify, key, write } = await packs()
    const { out, err, code } = await make('--payload', await write('a.json', 'a\r\n'))
    expect(code).toBe(0)
    expect(out).toMatch(/^✓ evidence\.zip: About the payload CA978112CA1B/)
    expect(err).toBe(
      'note  the messages are about a.json without its line end, as annotate takes records: so is the pack\n',
    )
    expect((await verify(...key)).code).toBe(0)
  })

  it('names the payload key to use if messages were signed about the file with a line end added', async () => {
    const { write, key, at, pack } = await packs()
    const signed = await write('signed.bin', 'x\n')
    await alvarium(['annotate', signed, '-k', at('private.key'), '-o', at('line.ndjson')])
    const bare = await write('bare.bin', 'x')
    const make = (...args: string[]) => pack('make', at('line.ndjson'), '-o', at('line.zip'), ...key, ...args)
    const { code, err } = await make('--payload', bare)
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /^\? cannot tell: no message is about bare\.bin as it is, [^\n]+ with a line end, or --payload-key 73CB3858/,
      ),
    ])
    const [, payloadKey = ''] = /--payload-key ([\dA-F]+)/.exec(err) ?? []
    expect((await make('--payload-key', payloadKey)).code).toBe(0)
  })

  it('packs a whole log, and its checkpoints show that no message is missing', async () => {
    const { write, pack, at } = await packs()
    const { messages, notes, verifyingKey } = await logged(6)
    const file = await write('log.ndjson', `${[...messages, ...notes].map(text).join('\n')}\n`)
    const key = ['-k', await write('logged.key', toHex(verifyingKey))]
    expect(await pack('make', file, '--log', '-o', at('log.zip'), ...key)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ log\.zip: About all that the key .+ signed from .+ to /),
    })
    expect((await pack('verify', at('log.zip'), ...key)).out).toContain(
      'whole by log: checkpoints of the key',
    )
  })

  // claim: packs-7
  it('verify exits with 1 for an altered pack, and with 2 for unknown signers', async () => {
    const { at, write, make, verify } = await packs()
    await make('--query', 'all of it')
    const other = await write('other.key', toHex(generateKey().verifyingKey))
    const unknown = await verify('-k', other)
    expect(unknown).toMatchObject({ code: 2, out: expect.stringContaining('SIGNER_UNKNOWN') })
    const bytes = await readFile(at('evidence.zip'))
    bytes[200] = (bytes[200] as number) ^ 1
    await writeFile(at('evidence.zip'), bytes)
    expect(await verify()).toMatchObject({ code: 1, out: expect.stringMatching(/^✗ pack: /) })
    expect(JSON.parse((await verify('--json')).out)).toMatchObject({
      outcome: 'does not hold',
      code: 'MESSAGE_MALFORMED',
    })
  })

  it('verify exits with 2 for a pack without messages', async () => {
    const { at, pack, write, verify, key } = await packs()
    const none = await write('none.ndjson', '')
    expect((await pack('make', none, '--query', 'x', '-o', at('evidence.zip'), ...key)).code).toBe(2)
    expect((await verify(...key)).code).toBe(2)
  })

  it('verify writes its findings as JSON with --json', async () => {
    const { make, verify, write } = await packs()
    await make(
      '--query',
      'all of it',
      '--score',
      await write('score.json', '{"version":1,"weights":{"doubt":0}}'),
    )
    const found = JSON.parse((await verify('--json', '--itself')).out)
    expect(found).toMatchObject({
      outcome: 'holds',
      trustedBy: 'pack',
      verdict: { score: 1, payloads: 3 },
    })
  })

  it('verify applies --received-at also if the pack contains the policy', async () => {
    const { at, write, messages, pack, verify } = await packs()
    const keys = [await readFile(at('public.key'), 'utf8')]
    const signers = [{ name: 'hall', keys, until: '2099-01-01T00:00:00Z' }]
    const trust = await write('trust.json', JSON.stringify({ signers }))
    await pack('make', messages, '-o', at('evidence.zip'), '--trust', trust, '--query', 'x')
    expect((await verify('--itself')).code).toBe(0)
    const late = await verify('--itself', '--received-at', '2100-01-01T00:00:00Z')
    expect([late.code, late.out]).toEqual([1, expect.stringContaining('SIGNER_EXPIRED')])
    const wrong = await verify('--received-at', 'yesterday')
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining('--received-at: expected a time such as'),
    ])
  })

  it('names the right options when options are missing or wrong', async () => {
    const { make, at, pack, cwd, key } = await packs()
    expect((await make()).err).toContain(
      'expected exactly one of --payload, --payload-key, --set, --log and --query',
    )
    expect((await make('--log')).err).toContain(
      '--log: needs a checkpoint that verifies (a checkpoint of --signer, if that option is given)',
    )
    expect((await make('--query', 'x', '--seal', at('private.key'))).err).toContain('--seal')
    await make('--query', 'x')
    expect((await make('--query', 'x')).err).toContain('--out evidence.zip: expected a new file')
    expect((await pack('verify', join(cwd, 'none.zip'))).code).toBe(2)
    expect((await alvarium(['verify', at('evidence.zip'), ...key])).out).toContain('alvarium pack verify')
  })

  it("exports verified statements as in-toto statements signed by the user's key, and as PROV", async () => {
    const { make, pack, at, key } = await packs()
    await make('--query', 'all of it')
    const exported = (as: string, ...args: string[]) =>
      pack('export', at('evidence.zip'), '--as', as, '-o', at(`${as}.out`), ...key, ...args)
    expect(await exported('in-toto', '--signing-key', at('private.key'))).toEqual({
      out: expect.stringMatching(
        /^✓ About 3 payloads; .+\n {2}id \w{64}\n✓ in-toto\.out: 6 bundles as in-toto statements\n$/,
      ),
      err: '',
      code: 0,
    })
    expect((await readFile(at('in-toto.out'), 'utf8')).trimEnd().split('\n').length).toBe(6)
    expect((await exported('prov')).out).toContain('✓ prov.out: 6 bundles as PROV\n')
    expect(Object.keys(JSON.parse(await readFile(at('prov.out'), 'utf8')).bundle).length).toBe(6)
    expect((await exported('prov')).err).toContain('expected a new file')
  })

  it('exports Sigstore bundles into a new folder, and uses the name of the --payload file as a subject', async () => {
    const { make, pack, at, write, key } = await packs()
    await make('--query', 'all of it')
    const payload = await write('reading.json', 'a')
    const exported = (...args: string[]) =>
      pack('export', at('evidence.zip'), '--as', 'sigstore', '-o', at('bundles'), ...key, ...args)
    const signed = ['--signing-key', at('private.key')]
    expect((await exported()).err).toContain('--signing-key: needs the file of your private key')
    const { out, code } = await exported(...signed, '--payload', payload)
    expect([out, code]).toEqual([expect.stringContaining('✓ bundles: 6 bundles as Sigstore bundles\n'), 0])
    const files = await readdir(at('bundles'))
    expect(files.length).toBe(6)
    const names = await Promise.all(
      files.map(async (name) => {
        const { dsseEnvelope } = JSON.parse(await readFile(join(at('bundles'), name), 'utf8'))
        return JSON.parse(textOf(fromBase64(dsseEnvelope.payload))).subject[0].name
      }),
    )
    expect(new Set(names)).toEqual(new Set(['_', 'reading.json']))
    expect((await exported(...signed)).err).toContain('expected a new file')
    const prov = ['export', at('evidence.zip'), '--as', 'prov', '-o', at('prov.json'), ...key]
    expect((await pack(...prov, '--payload', payload)).err).toContain('--payload')
  })

  it('export creates no folder of Sigstore bundles if the pack was altered', async () => {
    const { make, pack, at, key } = await packs()
    await make('--query', 'all of it')
    const file = at('evidence.zip')
    await writeFile(file, (await readFile(file)).subarray(0, -1))
    const args = ['--as', 'sigstore', '--signing-key', at('private.key'), '-o', at('bundles'), ...key]
    expect((await pack('export', file, ...args)).code).toBe(1)
    await expect(readdir(at('bundles'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('export refuses an altered pack, and names a missing --key or --signing-key', async () => {
    const { make, pack, at, key } = await packs()
    await make('--query', 'all of it')
    const file = at('evidence.zip')
    await writeFile(file, (await readFile(file)).subarray(0, -1))
    const out = at('prov.json')
    const altered = await pack('export', file, '--as', 'prov', '-o', out, ...key)
    expect(altered).toMatchObject({ code: 1, out: expect.stringMatching(/^✗ pack: /) })
    await expect(readFile(out)).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await pack('export', file, '--as', 'in-toto', '-o', out, ...key)).err).toContain(
      '--signing-key: needs the file of your private key',
    )
    const signed = ['--signing-key', at('private.key')]
    expect((await pack('export', file, '--as', 'prov', '-o', out, ...key, ...signed)).code).toBe(2)
    expect((await pack('export', file, '--as', 'prov', '-o', out)).err).toContain('--key')
  })

  it.each(['verify', 'export'])(
    '%s prints nothing and writes nothing when it is interrupted while it reads the pack',
    async (does) => {
      const { make, at, key } = await packs()
      await make('--query', 'all of it')
      const bytes = await readFile(at('evidence.zip'))
      const interrupt = new AbortController()
      const input = (async function* () {
        yield bytes.subarray(0, 1_000)
        interrupt.abort()
      })()
      const args = does === 'export' ? ['--as', 'prov', '-o', at('prov.json')] : []
      const how = { input, signal: interrupt.signal }
      expect(await alvarium(['pack', does, '-', ...key, ...args], how)).toEqual({
        out: '',
        err: '',
        code: 130,
      })
      await expect(readFile(at('prov.json'))).rejects.toMatchObject({ code: 'ENOENT' })
    },
  )

  // claim: packs-30
  it('reports how many annotations of classic messages an export omits', async () => {
    const { pack, at, write } = await packs()
    const go = caseOf('go', 'create-hello-md5')
    const key = ['-k', await write('go.key', vectorBytes('keys/go-public.key'))]
    const file = at('go.zip')
    await pack('make', await write('go.json', go.message), '--query', 'x', '-o', file, ...key)
    const exported = await pack('export', file, '--as', 'prov', '-o', at('go.prov'), ...key)
    expect(exported.err).toMatch(/left out, as other SDKs sign no bundle: \d+ annotation/)
  })
})
