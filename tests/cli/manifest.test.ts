import { readFile, writeFile } from 'node:fs/promises'
import { generateKey, toHex } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { alvarium, withoutFolder } from './command.js'
import { signer } from './messages.js'

const ROWS = ['1,21.4', '2,19.8', '3,20.1', '2,19.8']
const csv = (rows: readonly string[]) => `id,celsius\n${rows.join('\n')}\n`

async function seal(more: readonly string[] = []) {
  const { at, key, write, keyId } = await signer()
  const run = async (args: readonly string[], input = '') => {
    const { out, err, code } = await alvarium(args, { input })
    return { out: withoutFolder(out), err: withoutFolder(err), code }
  }
  const data = await write('readings.csv', csv(ROWS))
  const manifest = at('readings.manifest')
  const again = ['set', 'seal', data, '-k', at('private.key'), '-n', 'may', '--manifest', manifest]
  const ran = await run([...again, ...more])
  const check = async (rows: readonly string[], ...options: string[]) =>
    run(['check', await write('after.csv', csv(rows)), manifest, ...key, ...options])
  return { at, key, keyId, write, run, ran, check, data, manifest }
}

describe('alvarium with a manifest', () => {
  // claim: manifests-9
  it('signs the records of a file in their order, and writes 32 bytes for each record', async () => {
    const { ran, keyId, manifest, run, key } = await seal()
    expect(ran).toMatchObject({
      code: 0,
      out: `✓ 4 records sealed in order, by ${keyId}\n  readings.manifest  to publish with the data: alvarium check compares them\n`,
    })
    const file = await readFile(manifest)
    expect(file.length - file.indexOf('\n') - 1).toBe(4 * 32)
    const { out, code } = await run(['set', 'verify', manifest, ...key])
    expect([code, out.split('\n')[0]]).toEqual([
      0,
      expect.stringMatching(
        /^✓ verified: manifest may: 4 records, with all of its keys, sealed by \w{32} at /,
      ),
    ])
  })

  it('names each record that was altered or is missing since the manifest was signed', async () => {
    const { check } = await seal()
    expect(await check(ROWS)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ holds: 4 records: 4 as signed, none missing, on the trust of \S+\n$/),
    })
    const { out, code } = await check(['1,21.4', '2,18.9', '3,20.1'])
    expect(code).toBe(1)
    expect(out).toMatch(
      /^✗ altered {2}after\.csv:3 {2}signed in readings\.manifest, record 2, key \w{12}…\n✗ missing {2}after after\.csv:4 {2}signed in readings\.manifest, record 4, key \w{12}…\n✗ does not hold: 3 records: 2 as signed, 1 altered, 1 missing, /,
    )
  })

  it('reports missing records as JSON with --json', async () => {
    const { write, manifest, key } = await seal()
    const after = await write('after.csv', csv(['1,21.4', '3,20.1', '2,19.8']))
    const { out } = await alvarium(['check', after, manifest, ...key, '--json'])
    const [missing, total] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(missing).toMatchObject({
      finding: 'missing',
      signed: { place: manifest, number: 2, hash: 'sha256' },
    })
    expect(total).toMatchObject({ finding: 'total', signed: 4, missing: 1, outcome: 'does not hold' })
  })

  it('compares no records if the manifest is altered, is truncated or has an unknown signer', async () => {
    const { at, run, write, data, manifest, key } = await seal()
    const file = await readFile(manifest)
    const altered = Buffer.from(file)
    altered[file.length - 1] = (altered[file.length - 1] as number) ^ 1
    await writeFile(at('altered.manifest'), altered)
    expect(await run(['check', data, at('altered.manifest'), ...key])).toMatchObject({
      code: 1,
      err: expect.stringContaining('PROOF_INVALID'),
      out: expect.stringContaining('✗ does not hold: no signed records found in the manifest'),
    })
    await writeFile(at('cut.manifest'), file.subarray(0, -32))
    expect(await run(['check', data, at('cut.manifest'), ...key])).toMatchObject({
      code: 1,
      err: expect.stringContaining('expected the payload keys of 4 records, as signed, got 3'),
    })
    const stranger = await write('stranger.key', toHex(generateKey().verifyingKey))
    expect(await run(['check', data, manifest, '-k', stranger])).toMatchObject({
      code: 2,
      err: expect.stringContaining('SIGNER_UNKNOWN'),
    })
  })

  it('reports each record as added if the manifest was made from a file without records', async () => {
    const { at, run, write, key } = await seal()
    const empty = await write('empty.csv', csv([]).trimEnd())
    const manifest = at('empty.manifest')
    await run(['set', 'seal', empty, '-k', at('private.key'), '--manifest', manifest])
    expect(await run(['check', empty, manifest, ...key])).toMatchObject({ code: 0 })
    const full = await write('full.csv', csv(['1,a']))
    expect((await run(['check', full, manifest, ...key])).out).toContain('1 record: 0 as signed, 1 extra')
  })

  // claim: manifests-10
  it("proves a record by its number, and verifies the proof without the manifest's list of keys", async () => {
    const { run, write, data, manifest, key } = await seal()
    const prove = (...args: string[]) => run(['set', 'prove', manifest, ...args])
    const byNumber = await prove('--record', '4')
    expect([byNumber.code, byNumber.err]).toEqual([0, '✓ holds: it is record 4 of the manifest\n'])
    expect((await prove(data, '--record', '4')).out).toBe(byNumber.out)
    expect((await prove(await write('row', '2,19.8'))).err).toBe('✓ holds: it is record 2 of the manifest\n')
    const proof = await write('proof.json', byNumber.out)
    const message = await write('head.json', `${(await readFile(manifest, 'latin1')).split('\n')[0]}\n`)
    for (const set of [message, manifest]) {
      const verified = await run(['set', 'verify', set, proof, data, '--record', '4', ...key])
      expect([verified.code, verified.out]).toEqual([
        0,
        expect.stringContaining('✓ member: the payload is record 4 of the manifest\n'),
      ])
    }
    // The second record equals the fourth.
    expect(await run(['set', 'verify', message, proof, data, '--record', '2', ...key])).toMatchObject({
      code: 1,
      out: expect.stringContaining('proof.index: expected 1, the index of --record 2, got 3'),
    })
    expect(await run(['set', 'verify', message, proof, data, '--record', '1', ...key])).toMatchObject({
      code: 1,
    })
  })

  it('makes no proof for a payload or a record number that the manifest does not have', async () => {
    const { run, write, manifest } = await seal()
    const prove = (...args: string[]) => run(['set', 'prove', manifest, ...args])
    const other = await write('other', '2,19.9')
    expect(await prove(other)).toEqual({
      code: 1,
      out: '',
      err: '✗ does not hold: the manifest does not list it among its 4 records\n',
    })
    const changed = await write('changed.csv', csv(ROWS.with(1, '2,18.9')))
    expect((await prove(changed, '--record', '2')).err).toBe(
      '✗ does not hold: record 2 of the manifest is a different one\n',
    )
    expect(await prove(other, '--expect', 'absent')).toMatchObject({
      code: 2,
      err: expect.stringContaining('"member" for a manifest'),
    })
    expect(await prove('--record', '5')).toMatchObject({ code: 2, out: '' })
    expect(await prove()).toMatchObject({ code: 2, out: '' })
  })

  it('verifies records against a salted manifest with the salt, and refuses a wrong salt', async () => {
    const { write } = await signer()
    const salt = ['--salt', await write('salt', `${'ab'.repeat(32)}\n`)]
    const { check, run, manifest, key, data, at } = await seal(salt)
    expect((await check(ROWS, ...salt)).code).toBe(0)
    expect((await check(ROWS.with(0, '1,0'), ...salt)).out).toContain('✗ altered  after.csv:2')
    expect(await check(ROWS)).toMatchObject({ code: 2, err: expect.stringContaining('--salt') })
    const { out } = await run(['set', 'prove', manifest, data, '--record', '3', ...salt, '-o', at('p.json')])
    expect(out).toBe('')
    const ask = ['set', 'verify', manifest, at('p.json'), data, '--record', '3', ...key]
    expect([(await run([...ask, ...salt])).code, (await run(ask)).code]).toEqual([0, 2])
  })

  it('refuses messages next to a manifest, and never overwrites a manifest', async () => {
    const { check, run, at, data, manifest, key } = await seal()
    expect(await run(['check', data, manifest, at('public.key'), ...key])).toMatchObject({
      code: 2,
      err: expect.stringContaining('<messages>: expected only the manifest readings.manifest'),
    })
    expect(await check(ROWS, '--action', 'create')).toMatchObject({ code: 2 })
    const again = ['set', 'seal', data, '-k', at('private.key'), '--manifest', manifest]
    expect(await run(again)).toMatchObject({ code: 2, err: expect.stringContaining('already exists') })
    expect(await run([...again, '--list', at('x.list')])).toMatchObject({ code: 2 })
    expect(await run(['set', 'verify', manifest, ...key, '--list', manifest])).toMatchObject({ code: 2 })
  })

  it('refuses the manifest as an argument of verify, with a hint to use check', async () => {
    const { run, manifest, key } = await seal()
    const verified = await run(['verify', manifest, ...key])
    expect([verified.code, verified.err + verified.out]).toEqual([
      2,
      expect.stringContaining('a manifest: alvarium check takes it as a file'),
    ])
    const [message] = (await readFile(manifest, 'latin1')).split('\n')
    const shows = await run(['inspect', '-'], `${message}\n`)
    expect(shows.out).toContain('alvarium.Manifest/1')
    expect(shows.out).toMatch(/records\s+4\n/)
  })
})
