import { readFile } from 'node:fs/promises'
import { generateKey, toHex } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { alvarium } from '../cli/command.js'
import { signer } from '../cli/messages.js'
import { textOf } from '../support/bytes.js'

// For each word that the command uses of messages, records and sets: it appears with all of its evidence, and
// disappears with each piece of it.

const ROWS = ['1,21.4', '2,19.8', '3,20.1', '4,18.2']
const csv = (rows: readonly string[]) => `id,celsius\n${rows.join('\n')}\n`

/** Returns a folder with a file of records, messages about them, sets of them, and keys. */
async function evidence() {
  const { at, write, key } = await signer()
  const data = await write('readings.csv', csv(ROWS))
  await alvarium(['annotate', data, '-k', at('private.key'), '-o', at('messages.ndjson')])
  const messages = textOf(await readFile(at('messages.ndjson')))
    .trimEnd()
    .split('\n')
  const stranger = ['-k', await write('stranger.key', toHex(generateKey().verifyingKey))]
  const lines = (some: readonly string[]) => write('some.ndjson', some.map((line) => `${line}\n`).join(''))
  const said = async (args: readonly string[]) => {
    const { out, err } = await alvarium(args)
    return out + err
  }
  const check = async (rows: readonly string[], some: readonly string[] = messages, trust = key) =>
    said(['check', await write('found.csv', csv(rows)), await lines(some), ...trust])
  return { at, write, key, stranger, data, messages, lines, said, check }
}

/** Returns the text with a letter of its first signature changed. */
const forged = (message: string) =>
  message.replace(/"signature":"./, (hit) => `${hit.slice(0, -1)}${hit.endsWith('0') ? '1' : '0'}`)

describe('the verdict on a message', () => {
  it('is "verified" only with a valid signature, a public key of the reader and a permitting policy', async () => {
    const { said, key, stranger, messages, write } = await evidence()
    const verify = async (message: string, trust: readonly string[]) => said(['verify', message, ...trust])
    const [message = ''] = messages
    expect(await verify(message, key)).toContain('1 verified')
    expect(await verify(forged(message), key)).toContain('0 verified, 1 refused')
    expect(await verify(message, stranger)).toContain('0 verified, 1 unknown signer')
    const [path = ''] = key.slice(1)
    const keys = [await readFile(path, 'utf8')]
    const policy = (rules: object) =>
      write('trust.json', JSON.stringify({ signers: [{ name: 'gateway', keys, ...rules }] }))
    expect(await verify(message, ['-t', await policy({})])).toContain('1 verified')
    expect(await verify(message, ['-t', await policy({ actions: ['transit'] })])).toContain('1 refused')
  })

  it('is "refused" for an invalid signature, but not if the public key or the file is missing', async () => {
    const { said, key, stranger, messages, at } = await evidence()
    const bad = forged(messages[0] ?? '')
    expect(await said(['verify', bad, ...key])).toContain('1 refused')
    expect(await said(['verify', bad, ...stranger])).not.toContain('refused')
    expect(await said(['verify', at('none.ndjson'), ...key])).not.toContain('refused')
  })

  it('is "unknown signer" without the public key, and contains "unread" if a file is missing', async () => {
    const { said, key, stranger, lines, messages, at } = await evidence()
    const file = await lines(messages)
    expect(await said(['verify', file, ...stranger])).toContain('4 unknown signer')
    expect(await said(['verify', file, ...stranger, ...key])).not.toContain('unknown signer')
    expect(await said(['verify', file, at('none.ndjson'), ...key])).toContain('1 source unread')
    expect(await said(['verify', file, ...key])).not.toContain('unread')
  })
})

describe('the verdict on a record', () => {
  it('is "as signed" only with its bundle, the public key, the signed order and the end of the file', async () => {
    const { check, messages, stranger, write, said, lines, key } = await evidence()
    expect(await check(ROWS)).toContain('4 as signed')
    expect(await check(ROWS, messages.slice(1))).toContain('3 as signed')
    expect(await check(ROWS, messages, stranger)).not.toContain('as signed')
    expect(await check([...ROWS.slice(1), ...ROWS.slice(0, 1)])).toContain('3 as signed')
    const cut = await write('found.csv', `${csv(ROWS)}5,"open`)
    expect(await said(['check', cut, await lines(messages), ...key])).not.toContain('as signed')
  })

  it('is "altered" for a changed record, but only with its bundle and the public key', async () => {
    const { check, messages, stranger } = await evidence()
    const rows = ROWS.with(1, '2,99.9')
    expect(await check(rows)).toContain('1 altered')
    expect(await check(rows, messages.toSpliced(1, 1))).not.toContain('altered')
    expect(await check(rows, messages, stranger)).not.toContain('altered')
    expect(await check(ROWS)).not.toContain('altered')
  })

  it('is "missing" only if a bundle with a valid signature is about the absent record', async () => {
    const { check, messages } = await evidence()
    const rows = ROWS.toSpliced(1, 1)
    expect(await check(rows)).toContain('1 missing')
    expect(await check(rows, messages.toSpliced(1, 1))).toContain('none missing')
    const unsigned = messages.with(1, forged(messages[1] ?? ''))
    expect(await check(rows, unsigned)).not.toContain('1 missing')
  })

  it('is "extra" only without a bundle about the record', async () => {
    const { check, messages } = await evidence()
    expect(await check(ROWS, messages.slice(1))).toContain('1 extra')
    expect(await check(ROWS)).not.toContain('extra')
  })

  it('is "moved" if records and bundles are in different orders, and not if the bundle is missing', async () => {
    const { check, messages } = await evidence()
    const rows = [...ROWS.slice(1), ...ROWS.slice(0, 1)]
    expect(await check(rows)).toContain('1 moved')
    expect(await check(rows, messages.slice(1))).not.toContain('moved')
    expect(await check(rows, [...messages.slice(1), ...messages.slice(0, 1)])).not.toContain('moved')
  })

  it('is "twice" if two bundles are about a record that the file contains once, but not if it contains two such records', async () => {
    const { check, messages, data, at } = await evidence()
    await alvarium(['annotate', data, '-k', at('private.key'), '-o', at('again.ndjson')])
    const again = textOf(await readFile(at('again.ndjson'))).split('\n')
    const twice = [...messages, again[3] ?? '']
    expect(await check(ROWS, twice)).toContain('1 twice')
    expect(await check([...ROWS, ROWS[3] ?? ''], twice)).not.toContain('twice')
    expect(await check(ROWS, messages)).not.toContain('twice')
  })
})

/** Returns a set of the records, another one with fewer, and the arguments of questions about them. */
async function sets() {
  const all = await evidence()
  const { at, write, data, said, key } = all
  const less = await write('less.csv', csv(ROWS.slice(1)))
  const seal = (file: string, name: string) =>
    said(['set', 'seal', file, '-k', at('private.key'), '-o', at(`${name}.json`), '-l', at(`${name}.list`)])
  await seal(data, 'set')
  await seal(less, 'less')
  const prove = (list: string, ...more: string[]) => said(['set', 'prove', at(`${list}.list`), ...more])
  await prove('set', '--record', '1', data, '-o', at('member.json'))
  await prove('less', '--record', '1', data, '-o', at('absent.json'), '--expect', 'absent')
  await said(['set', 'update', at('set.list'), at('less.list'), '-o', at('update.json')])
  const ask = (set: string, proof: string, record: string, ...more: string[]) =>
    said(['set', 'verify', at(`${set}.json`), at(`${proof}.json`), '--record', record, data, ...more])
  const verify = (set: string, ...more: string[]) => said(['set', 'verify', at(`${set}.json`), ...more])
  return { ...all, ask, verify, list: (name: string) => at(`${name}.list`), key }
}

describe('the verdict on a payload', () => {
  it('is "member" only with a verified set and a proof of membership of the payload in the set', async () => {
    const { ask, key, stranger } = await sets()
    expect(await ask('set', 'member', '1', ...key)).toContain('✓ member')
    expect(await ask('set', 'member', '1', ...stranger)).not.toContain('member')
    expect(await ask('set', 'member', '2', ...key)).not.toContain('✓ member')
    expect(await ask('less', 'member', '1', ...key)).not.toContain('✓ member')
    expect(await ask('set', 'absent', '1', ...key)).not.toContain('✓ member')
  })

  it('is "absent" only with a verified set and a proof of absence of the payload from the set', async () => {
    const { ask, key, stranger } = await sets()
    expect(await ask('less', 'absent', '1', ...key)).toContain('✓ absent')
    expect(await ask('less', 'absent', '1', ...stranger)).not.toContain('absent:')
    expect(await ask('less', 'absent', '2', ...key)).not.toContain('✓ absent')
    expect(await ask('set', 'absent', '1', ...key)).not.toContain('✓ absent')
  })
})

describe('the verdict on a set', () => {
  it('contains "sorted: checked" with the whole list, and "sorted: claimed" without the list', async () => {
    const { verify, key, list } = await sets()
    expect(await verify('set', ...key, '--list', list('set'))).toContain('sorted: checked')
    expect(await verify('set', ...key)).toContain('sorted: claimed')
    expect(await verify('set', ...key)).not.toContain('sorted: checked')
    expect(await verify('set', ...key, '--list', list('less'))).not.toContain('sorted')
  })

  it('contains "others: checked" if the lists of both sets are given, and "others: claimed" with the update alone', async () => {
    const { verify, key, list, at } = await sets()
    const before = ['--before', at('set.json'), '--update', at('update.json'), ...key]
    const lists = ['--list', list('less'), '--before-list', list('set')]
    expect(await verify('less', ...before, ...lists)).toContain('others: checked')
    const short = await verify('less', ...before)
    expect(short).toContain('others: claimed')
    expect(short).not.toContain('others: checked')
    const backwards = ['--before', at('less.json'), '--update', at('update.json'), ...key]
    expect(await verify('set', ...backwards)).not.toContain('others')
  })
})
