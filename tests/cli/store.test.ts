import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, keyOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { sealSet } from 'alvarium-sdk/sets'
import { openStore } from 'alvarium-sdk/store'
import { leased } from 'alvarium-sdk/trust'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Postgres, startPostgres } from '../store/postgres.mjs'
import { utf8 } from '../support/bytes.js'
import { openLogged } from '../support/leased.js'
import { policyOf } from '../support/trust.js'
import { alvarium, inPipe, withoutFolder } from './command.js'
import { brokerForAll, publishTo, whileListening } from './listening.js'
import { ofMany, SET, signer, text } from './messages.js'

let server: Postgres
let client: pg.Client
beforeAll(async () => {
  server = await startPostgres('oldest')
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
})
beforeEach(() => client.query('drop schema if exists alvarium cascade'))
afterAll(async () => {
  await client?.end()
  await server?.stop()
})

async function store(...args: string[]) {
  const { out, err, code } = await alvarium(['store', ...args, '--database', server.url])
  return { out: withoutFolder(out), err: withoutFolder(err), code }
}

/** Writes messages about payloads, given as `from>to`, to a file, and returns functions that query the store. */
async function fabric(...steps: string[]) {
  const one = await signer()
  const stream = memory()
  const no = { kind: 'doubt', isSatisfied: () => false }
  const sdk = await openSdk({
    signingKey: one.signingKey,
    annotators: [source(), no],
    stream,
    host: 'edge-7',
    tag: 'hall',
  })
  for (const step of steps) {
    const [from = '', to] = step.split('>')
    await (to === undefined ? sdk.create(utf8(from)) : sdk.mutate(utf8(from), utf8(to)))
  }
  await sdk.close()
  const lines = stream.messages.map((message) => Buffer.from(message).toString())
  const file = await one.write('messages.ndjson', `${lines.join('\n')}\n`)
  return { ...one, file, lines }
}

const short = (text: string) => `${keyOf(utf8(text)).slice(0, 12)}…`
const asKey = (text: string) => [keyOf(utf8(text)), '--payload-key']

describe('alvarium store', () => {
  it('reports a missing file only once, and not as a fault of a config', async () => {
    await store('init')
    const { at } = await signer()
    const { out, err } = await store('ingest', at('no-such-file'), '-k', at('public.key'))
    expect(out + err).not.toContain('CONFIG_INVALID')
    expect((out + err).match(/no-such-file/g)).toHaveLength(1)
  })

  it('creates a store, and reports its content', async () => {
    expect(await store('init')).toEqual({
      code: 0,
      err: '',
      out: '✓ the database has a store, with 0 bundles\n',
    })
    const { file, key } = await fabric('a')
    await store('ingest', file, ...key)
    expect((await store('init')).out).toBe('✓ the database has a store, with 1 bundle\n')
  })

  it('`init` runs in a process that has loaded no other command', async () => {
    const { code, out, err } = await inPipe(['store', 'init', '--database', server.url])
    expect([code, out, err]).toEqual([0, '✓ the database has a store, with 0 bundles\n', ''])
  })

  it('`ingest` accepts --leases only together with --url', async () => {
    const { err, code } = await store('ingest', 'x', '--leases', 'y', '--trust', 'z')
    expect([code, err]).toEqual([2, expect.stringContaining('--leases y: works only with --url')])
  })

  it('`ingest` stores each message of the files once, and reports the lines that do not verify', async () => {
    const { file, key, lines, write } = await fabric('a', 'b')
    expect(await store('ingest', file, file, ...key)).toMatchObject({
      code: 0,
      out: '✓ 2 bundles stored, 2 stored before\n',
    })
    const bad = await write('bad.ndjson', `${lines[0]?.replace('edge-7', 'edge-8')}\n{"messageType":1}\n`)
    const refused = await store('ingest', bad, ...key)
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('1 rejected (SIGNATURE_INVALID)') })
    expect(refused.err).toContain('bad.ndjson:1: SIGNATURE_INVALID')
    const missing = await store('ingest', 'no-such-file', ...key)
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('no-such-file: expected a file')])
    const counted = JSON.parse((await store('ingest', file, ...key, '--json')).out)
    expect(counted).toEqual({
      bundles: 0,
      copies: 2,
      controlMessages: 0,
      quarantined: 0,
      rejected: {},
      skipped: 0,
    })
  })

  it('`ingest` has exit code 1 if a message does not verify, even if it is undecided whether others verify', async () => {
    const { key, lines, write } = await fabric('a')
    const cut = await write('cut.ndjson', `${lines[0]}\nnot a message\n`)
    expect((await store('ingest', cut, 'no-such-file', ...key)).code).toBe(1)
    expect((await store('ingest', 'no-such-file', cut, ...key)).code).toBe(1)
    const stranger = await write('stranger.key', toHex(generateKey().verifyingKey))
    expect((await store('ingest', cut, '-k', stranger)).code).toBe(1)
  })

  it('`find` selects bundles by their time of receipt, not by the time of the signature', async () => {
    const { file, key, lines, write } = await fabric('a', 'b')
    const [early, late] = ['2001-01-01T00:00:00Z', '2101-01-01T00:00:00Z']
    const first = await write('first.ndjson', `${lines[0]}\n`)
    await store('ingest', first, ...key, '--received-at', late)
    await store('ingest', file, ...key)
    const found = async (...args: string[]) => (await store('find', ...args)).out.match(/^#\d+/gm) ?? []
    expect(await found('--received-from', late)).toEqual(['#0'])
    expect(await found('--received-from', late, '--from', late)).toEqual([])
    expect(await found('--received-from', late, '--until', late)).toEqual(['#0'])
    expect(await found('--received-until', late)).toEqual([])
    expect(await found('--from', early, '--until', late)).toEqual(['#0', '#1'])
    expect(await found('--received-unknown')).toEqual(['#1'])
    expect(await found('--received-unknown', '--until', early)).toEqual([])
    const { code, err } = await store('find', '--received-unknown', '--received-from', early)
    expect([code, err]).toEqual([2, expect.stringContaining('--received-from')])
  })

  it('`ingest --received-at` sets the time of receipt of messages in files', async () => {
    const { file, key, keyId } = await fabric('a')
    const received = ['--received-at', '2026-01-02T03:04:05Z']
    await store('ingest', file, ...key, ...received)
    expect((await store('signers')).out).toContain(
      `${keyId}  on edge-7  last received 2026-01-02T03:04:05.000Z`,
    )
    expect(JSON.parse((await store('export', '--json')).out)).toMatchObject({ receivedAt: 1_767_323_045_000 })
    const pruned = await store('prune', '--before', '2026-01-02T03:04:06Z')
    expect(pruned.out).toBe('✓ 1 bundle pruned, 1 message\n')
    const topic = ['--url', 'ws://127.0.0.1:1', '--topic', 't']
    const { code, err } = await store('ingest', ...topic, ...key, ...received)
    expect([code, err]).toEqual([2, expect.stringContaining('--received-at: cannot be combined with --url')])
  })

  it('quarantines messages until their signers are known', async () => {
    const { file, key, write } = await fabric('a')
    const stranger = await write('stranger.key', toHex(generateKey().verifyingKey))
    for (const asked of [['ingest', file], ['ingest', file], ['retry']]) {
      const kept = await store(...asked, '-k', stranger)
      expect([kept.code, kept.out]).toEqual([
        2,
        expect.stringContaining('1 quarantined (alvarium store retry'),
      ])
    }
    expect(await store('retry', ...key)).toMatchObject({ code: 0, out: '✓ 1 bundle stored\n' })
  })

  it('`about` prints all statements about a payload that is given as a file or as a payload key', async () => {
    const { file, key, keyId, write } = await fabric('raw', 'raw>fixed', 'fixed')
    await store('ingest', file, ...key)
    const expected = [
      `${keyOf(utf8('fixed'))}  2 bundles`,
      '  answers    src 2 yes  doubt 2 no',
      `  signers    ${keyId} 2`,
      '  hosts      edge-7 2',
      `  made from  ${keyOf(utf8('raw'))}`,
    ].join('\n')
    expect(await store('about', await write('fixed', 'fixed'))).toEqual({
      code: 0,
      err: '',
      out: `${expected}\n`,
    })
    expect((await store('about', ...asKey('fixed'))).out).toBe(`${expected}\n`)
    expect(JSON.parse((await store('about', ...asKey('raw'), '--json')).out)).toMatchObject({
      bundles: 1,
      answers: { src: { yes: 1, no: 0 } },
      hosts: { 'edge-7': 1 },
      madeInto: [{ key: keyOf(utf8('fixed')) }],
    })
    const unheard = await store('about', ...asKey('unheard of'))
    expect([unheard.code, unheard.err]).toEqual([2, '? no bundle of this store is about this payload\n'])
  })

  it('`history` lists the bundles of a payload page by page, and `find` selects bundles by their properties', async () => {
    const { file, key } = await fabric('a', 'b', 'a')
    await store('ingest', file, ...key)
    const history = await store('history', ...asKey('a'), '--limit', '1')
    expect(history.out).toMatch(
      new RegExp(`^#0 \\S+Z  create ${short('a')} by \\w{12}… on edge-7  src yes  doubt no\n$`),
    )
    expect(history.err).toBe('there are more: --after 0, or --all\n')
    const rest = await store('history', ...asKey('a'), '--after', '0', '--json')
    expect(JSON.parse(rest.out)).toMatchObject({ seq: 2, host: 'edge-7' })
    const found = async (...args: string[]) => (await store('find', ...args)).out.match(/^#\d+/gm) ?? []
    expect(await found('--host', 'edge-7', '--kind', 'doubt', '--tag', 'hall')).toEqual(['#0', '#1', '#2'])
    expect(await found('--from', '2020-01-01T00:00:00Z', '--until', '2020-01-02T00:00:00Z')).toEqual([])
    expect((await store('find')).err).toContain('--host: needs a host, or one of --signer')
    expect((await store('find', '--from', 'monday')).err).toContain('--from: expected a time such as')
  })

  it('`lineage` and `about` list all inputs of a payload, including sets', async () => {
    const { signingKey, key, write } = await signer()
    const file = await write('messages.ndjson', (await ofMany(signingKey, 1)).all.map(text).join('\n'))
    await store('ingest', file, ...key)
    const [average, one] = [keyOf(utf8('average')), keyOf(utf8('0'))]
    expect((await store('lineage', ...asKey('average'))).out).toBe(
      `${average}\n  made from the set ${SET}\n  made from ${one}\n`,
    )
    expect((await store('about', ...asKey('average'))).out).toContain(
      `  made from  the set ${SET}\n             ${one}\n`,
    )
  })

  it('`lineage` accepts a file, "-" or a payload key, for a store and for files of messages', async () => {
    const { file, key, write } = await fabric('a>b')
    await store('ingest', file, ...key)
    const b = keyOf(utf8('b'))
    for (const asked of [b, b.toLowerCase(), await write('b.bin', 'b'), '-']) {
      const stored = await alvarium(['store', 'lineage', asked, '-d', server.url], { input: 'b' })
      const read = await alvarium(['lineage', asked, file, ...key], { input: 'b' })
      expect([stored.code, stored.out.split('\n')[0]]).toEqual([0, b])
      expect([read.code, read.out]).toEqual([0, expect.stringContaining(b)])
    }
  })

  it('`lineage` follows a payload to its sources and to the payloads that were made from it', async () => {
    const { file, key } = await fabric('a>b', 'b>c', 'b>d')
    await store('ingest', file, ...key)
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((text) => keyOf(utf8(text)))
    expect((await store('lineage', ...asKey('c'))).out).toBe(`${c}\n  made from ${b}\n    made from ${a}\n`)
    const { out } = await store('lineage', ...asKey('a'), '--down', '--json')
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ depth }) => depth)).toEqual([0, 1, 2, 2])
    expect(
      lines
        .slice(2)
        .map(({ key: one }) => one)
        .sort(),
    ).toEqual([c, d].sort())
    const cut = await store('lineage', ...asKey('c'), '--limit', '1')
    expect(cut.err).toBe('there are more than 1 payload: --limit has more shown\n')
  })

  it('`lineage` draws both directions, with the signers of each payload', async () => {
    const { file, key, keyId } = await fabric('a>b', 'b>c', 'b>d')
    await store('ingest', file, ...key)
    const up = await store('lineage', ...asKey('c'), '--as', 'mermaid')
    expect([up.code, up.out.match(/p\d+ -->/g)]).toEqual([0, ['p1 -->', 'p2 -->']])
    expect(up.out.match(new RegExp(`✓ mutate by ${keyId}<br/>on edge-7<br/>`, 'g'))).toHaveLength(2)
    expect(up.out).toContain('? nothing was said')
    const down = await store('lineage', ...asKey('a'), '--down', '--as', 'svg')
    expect([down.code, down.out.match(/<g>/g)]).toEqual([0, Array(4).fill('<g>')])
    expect(down.out).toContain(`<title>Lineage of ${keyOf(utf8('a'))}</title>`)
    expect(down.out.indexOf(keyOf(utf8('a')).slice(0, 32))).toBeLessThan(down.out.indexOf('mutate by'))
  })

  it("`score` prints a payload's score by a scoring policy, with the reasons", async () => {
    const { file, key, keyId, write } = await fabric('raw', 'raw>fixed')
    await store('ingest', file, ...key)
    const { code, out } = await store('score', ...asKey('fixed'))
    expect([code, out]).toEqual([0, expect.stringContaining(`50 %  ${keyOf(utf8('fixed'))}`)])
    expect(out).toContain(`doubt no  by ${keyId.slice(0, 12)}… on edge-7`)
    const policy = await write('scoring.json', '{"version":1,"weights":{"doubt":0},"ancestors":"own"}')
    const verdict = await store('score', ...asKey('fixed'), '--policy', policy, '--min', '90', '--json')
    expect([verdict.code, JSON.parse(verdict.out).score]).toEqual([0, 1])
    expect((await store('score', ...asKey('fixed'), '--min', '90')).code).toBe(1)
    const unheard = await store('score', ...asKey('unheard of'))
    expect([unheard.code, unheard.err]).toEqual([2, '? no annotation of this store is about this payload\n'])
    const bad = await store('score', ...asKey('fixed'), '--policy', await write('bad.json', '{"version":2}'))
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('bad.json: version: expected 1')])
  })

  it("`score` of a payload made from a set uses the set's list, if a trusted signer signed the set", async () => {
    const { key, write, signingKey } = await signer()
    const stranger = await signer()
    const images = [utf8('cat'), utf8('dog')]
    const { set, message, list } = await sealSet(images, { signingKey, name: 'training-7' })
    const stream = memory()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream })
    await sdk.createMany(images)
    await sdk.mutate([{ set: set.id }], utf8('model'))
    await sdk.close()
    await store('ingest', await write('made.ndjson', stream.messages.map(text).join('\n')), ...key)
    const [given, listed] = [
      await write('set.json', text(message)),
      await write('set.list', Buffer.concat([...list.pieces()])),
    ]
    const score = (...more: string[]) => store('score', ...asKey('model'), ...more)
    expect(await score()).toMatchObject({ code: 2, out: expect.stringContaining('unknown') })
    const found = await score('--set', given, '--list', listed, ...key)
    expect([found.code, found.err, found.out]).toEqual([
      0,
      '',
      expect.stringMatching(/^100 %.*made from .*made from /s),
    ])
    const other = await write('other.list', Buffer.alloc(64, 'ab'))
    for (const [args, told] of [
      [['--set', given, '--list', other, ...key], 'other.list: expected ascending keys'],
      [['--set', given, ...key], '--list: needs the list of'],
      [['--set', given, '--list', listed], '--key: needs the file of a public key'],
      [['--set', given, '--list', listed, ...stranger.key], 'expected one in the keyring of 1 key'],
    ] as const) {
      expect(await score(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(told) })
    }
  })

  it('`audit` works with a checkpoint and without one, and names altered rows', async () => {
    const { file, key, signingKey, write } = await fabric('a', 'b')
    await store('ingest', file, ...key)
    expect(await store('audit', ...key, '--itself')).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^✓ consistent: the store is consistent with itself/),
    })
    expect(await store('audit', ...key)).toEqual({
      code: 2,
      err: '',
      out: expect.stringMatching(
        /^\? consistent: .*\n {2}give the checkpoint that you kept and its public key: --checkpoint, --vkey\n$/,
      ),
    })
    const log = { origin: 'example.com/store', signingKey }
    await using signing = await openStore(server.url, { keyring: [], log })
    const checkpoint = await write('checkpoint.txt', (await signing.checkpoint()).note)
    const by = ['--checkpoint', checkpoint, '--vkey', signing.vkey ?? '']
    expect(await store('audit', ...key, ...by)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ proved: the first 2 entries of the log, .* as they were/),
    })
    const unkeyed = await store('audit', ...key, '--checkpoint', checkpoint)
    expect([unkeyed.code, unkeyed.out]).toEqual([2, expect.stringContaining("the log's public key: --vkey")])
    const stranger = ['-k', await write('stranger.key', toHex(generateKey().verifyingKey))]
    const unknown = await store('audit', ...stranger, ...by)
    expect([unknown.code, unknown.out]).toEqual([
      2,
      expect.stringMatching(/^\? unknown signer: .*2 messages not verified, as nobody here has/s),
    ])
    await client.query('update alvarium.bundle set place = 7 where seq = 1')
    const altered = await store('audit', ...key, ...by)
    expect([altered.code, altered.out]).toEqual([1, expect.stringContaining('✗ bundle 1: row')])
    const json = JSON.parse((await store('audit', ...key, ...by, '--json')).out)
    expect(json).toMatchObject({ verdict: 'different', protected: 0 })
    const other = await store('audit', ...key, '--checkpoint', file)
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('note: expected a text')])
  })

  it('`ingest` stores late messages of a lease that has ended, if checkpoints in the file prove their time', async () => {
    const { sdk, leases, messages, notes } = await openLogged({}, { every: 1 })
    for (const one of ['a', 'b', 'c']) await sdk.create(utf8(one))
    await sdk.close()
    const { write } = await signer()
    const trust = await write('trust.json', JSON.stringify(policyOf()))
    for (const lines of [
      [...leases, ...notes, ...messages],
      [...messages, ...notes.toReversed(), ...leases],
    ]) {
      await client.query('drop schema if exists alvarium cascade')
      const file = await write('late.ndjson', `${lines.map(text).join('\n')}\n`)
      const late = ['--trust', trust, '--received-at', '2100-01-01T00:00:00Z']
      const { out, code } = await store('ingest', file, ...late, '--json')
      const counts = { bundles: 3, copies: 0, controlMessages: leases.length + notes.length }
      expect([code, JSON.parse(out)]).toMatchObject([0, { ...counts, quarantined: 0, rejected: {} }])
    }
  })

  // claim: store-56
  it('`checkpoint` signs the size of the store for later audits', async () => {
    const { file, key, write } = await fabric('a', 'b')
    await store('ingest', file, ...key)
    const signing = [
      '-k',
      await write('log.key', toHex(generateKey().signingKey)),
      '--origin',
      'example.com/s',
    ]
    const { code, out, err } = await store('checkpoint', ...signing)
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^example\.com\/s\n2\n\S{44}\n\n— example\.com\/s \S+\n$/),
    ])
    const [vkey = ''] = /example\.com\/s\+\S+/.exec(err) ?? []
    const note = await write('checkpoint.txt', out)
    const audit = await store('audit', ...key, '--checkpoint', note, '--vkey', vkey)
    expect(audit).toMatchObject({
      code: 0,
      out: expect.stringContaining('✓ proved: the first 2 entries of the log'),
    })
    const [next, last] = [await write('taken.txt', ''), `${note}.next`]
    const since = ['audit', ...key, '--since', note, '--vkey', vkey]
    expect(await store(...since, '--checkpoint-out', last)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ grown: the log has only grown since .*; nothing came since/),
    })
    expect(await readFile(last, 'utf8')).toBe(out)
    expect((await store(...since, '--checkpoint-out', next)).err).toContain('expected a new file')
    await client.query('delete from alvarium.checkpoint')
    const [failed, unwritten] = [`${note}.failed`, 'no checkpoint was written']
    expect(await store(...since, '--checkpoint-out', failed)).toMatchObject({
      code: 1,
      out: expect.stringContaining('✗ checkpoint 2: row'),
      err: expect.stringContaining(unwritten),
    })
    expect(existsSync(failed)).toBe(false)
    const again = await store('checkpoint', ...signing, '--out', note)
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('expected a new file')])
  })

  it('`forget` erases a payload, and reports when there is nothing to erase', async () => {
    const { file, key } = await fabric('a', 'a>b', 'c')
    await store('ingest', file, ...key)
    expect(await store('forget', ...asKey('a'))).toEqual({
      code: 0,
      out: '✓ 1 payload forgotten: 2 bundles pruned, 2 messages\n',
      err: expect.stringContaining('until a checkpoint is signed, the database alone says what was pruned'),
    })
    expect(await store('forget', ...asKey('a'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('no bundle'),
    })
    expect((await store('audit', ...key, '--itself')).code).toBe(0)
  })

  it('`prune` removes old messages, and later reports mention the pruning', async () => {
    const { file, key } = await fabric('a', 'a>b')
    await store('ingest', file, ...key)
    expect(await store('prune', '--before', '2025-01-01T00:00:00Z')).toEqual({
      code: 0,
      err: '',
      out: '✓ 0 bundles pruned, 0 messages\n',
    })
    const done = await store('prune', '--before', new Date().toISOString(), '--json')
    expect([done.code, JSON.parse(done.out)]).toEqual([0, { bundles: 2, messages: 2, quarantined: 0 }])
    expect(await store('about', ...asKey('a'))).toMatchObject({
      code: 2,
      out: `${keyOf(utf8('a'))}  0 bundles, and 1 pruned\n`,
    })
    expect((await store('audit', ...key)).out).toContain(
      '0 messages verified again, 3 entries, of which 2 were pruned',
    )
    const later = await store('prune', '--before', '2100-01-01T00:00:00Z')
    expect([later.code, later.err]).toEqual([
      2,
      expect.stringContaining('--before: expected a time that has passed'),
    ])
    expect((await store('prune')).code).toBe(2)
  })

  it('reports a pruning as unsigned, until a checkpoint contains it', async () => {
    const { file, key, write } = await fabric('a', 'b')
    await store('ingest', file, ...key)
    const secret = await write('log.key', toHex(generateKey().signingKey))
    const sign = ['checkpoint', '-k', secret, '--origin', 'example.com/s']
    const { out, err } = await store(...sign)
    const vkey = /example\.com\/s\+\S+/.exec(err)?.[0] ?? ''
    const audit = ['audit', ...key, '--checkpoint', await write('checkpoint.txt', out), '--vkey', vkey]
    const { err: told } = await store('prune', '--before', new Date().toISOString())
    expect(told).toContain('until a checkpoint is signed')
    const unsigned = await store(...audit)
    expect([unsigned.code, unsigned.out]).toEqual([
      2,
      expect.stringMatching(/^\? unsigned: 0 of the first 2 entries of the log are as they were/),
    ])
    expect(unsigned.out).toContain('? 2 pruned by prunings that no signed checkpoint has')
    await store(...sign)
    expect(await store(...audit)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ proved: the first 2 entries of the log, .* as they were/),
    })
  })

  it('`audit` counts the messages that the trust policy revokes, and still has exit code 0', async () => {
    const { file, keyId, at, write } = await fabric('a', 'b')
    const keys = [await readFile(at('public.key'), 'utf8')]
    const policy = async (more: object) =>
      write('trust.json', JSON.stringify({ signers: [{ name: 'gateway-1', keys, ...more }] }))
    await store('ingest', file, '--trust', await policy({}))
    const revoked = await policy({ revoked: { since: '2020-01-01T00:00:00Z' } })
    const { code, out } = await store('audit', '--trust', revoked, '--itself')
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(`? gateway-1 ${keyId}: 2 messages revoked by your trust policy`),
    ])
  })

  it('`signers` lists the signers, and exits with 1 if one is silent', async () => {
    const { file, key, keyId } = await fabric('a')
    await store('ingest', file, ...key)
    expect((await store('signers')).out).toMatch(new RegExp(`^${keyId}  on edge-7  last signed \\S+  #0\n$`))
    expect(await store('signers', '--silent-since', '2020-01-01T00:00:00Z')).toMatchObject({
      code: 0,
      out: '',
    })
    const later = await store('signers', '--silent-since', '2100-01-01T00:00:00Z', '--json')
    expect([later.code, JSON.parse(later.out)]).toEqual([
      1,
      expect.objectContaining({ signer: keyId, seq: 0 }),
    ])
  })

  it("`missing` reports missing messages by the signers' checkpoints, with the exit codes of `audit`", async () => {
    expect(await store('init')).toMatchObject({ code: 0 })
    expect(await store('missing')).toEqual({ code: 2, out: '', err: '? this store has no checkpoints\n' })
    const { write, key, keyId, signingKey } = await signer()
    const [stream, notes] = [memory(), memory()]
    const own = checkpoints({ stream: notes, everyMs: 3_600_000 })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream, checkpoints: own })
    for (const name of ['a', 'b', 'c', 'd']) await sdk.create(utf8(name))
    await sdk.close()
    const lines = (messages: readonly Uint8Array[]) => `${messages.map(text).join('\n')}\n`
    const [first, , , last] = stream.messages as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
    await store('ingest', await write('some', lines([first, last, ...notes.messages])), ...key)
    const { code, out } = await store('missing')
    expect([code, out]).toEqual([1, expect.stringContaining(`✗ ${keyId}  incomplete: 2 messages, 1 run`)])
    expect(out).toMatch(/missing +2 messages: positions 1 to 2 of run \S+, \S+Z to \S+Z, 2 bundles\n/)
    const json = await store('missing', '--signer', keyId, '--json')
    expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { missing: [{ first: 1, last: 2 }] }])
    await store('ingest', await write('all', lines(stream.messages)), ...key)
    expect(await store('missing')).toMatchObject({ code: 0, out: expect.stringContaining('complete') })
    expect(await store('missing', '--since', '2026-01-01T00:00:00Z')).toMatchObject({
      code: 0,
      out: expect.stringContaining(`✓ all that the checkpoints of ${keyId} list that came since 2026-01-01`),
    })
    expect(await store('missing', '--signer', 'edge-7')).toMatchObject({
      code: 2,
      err: expect.stringContaining('a key id of 32 hexadecimal digits'),
    })
  })

  it('`export` writes messages that verify without the store', async () => {
    const { file, key, lines } = await fabric('a', 'b')
    await store('ingest', file, ...key)
    const { out } = await store('export')
    expect(out).toBe(`${lines.join('\n')}\n`)
    expect((await alvarium(['verify', ...key, '-q'], { input: out })).code).toBe(0)
    const { message } = JSON.parse((await store('export', ...asKey('b'), '--json')).out)
    expect(Buffer.from(message, 'base64').toString()).toBe(lines[1])
  })

  it('`export` writes a message as one line, even if the message was received with several lines', async () => {
    const { key, lines, write } = await fabric('a')
    await store(
      'ingest',
      await write('pretty.json', JSON.stringify(JSON.parse(lines[0] ?? ''), null, 2)),
      ...key,
    )
    const { out } = await store('export')
    expect(out.match(/\n/g)).toHaveLength(1)
    expect((await alvarium(['verify', ...key, '-q'], { input: out })).code).toBe(0)
  })

  it('`find` and other commands print hostile names without an effect on the terminal', async () => {
    const one = await signer()
    const host = 'edge\u0000\x1b[2J\u202e'
    const stream = memory()
    const sdk = await openSdk({
      signingKey: one.signingKey,
      annotators: [source()],
      stream,
      host,
      hash: 'none',
    })
    await sdk.create(utf8('x'.repeat(60_000)))
    await sdk.close()
    await store('ingest', await one.write('m', stream.messages[0] as Uint8Array), ...one.key)
    const asked = ['x'.repeat(60_000), '--payload-key', '--hash', 'none']
    for (const command of [['about', ...asked], ['history', ...asked], ['lineage', ...asked], ['signers']]) {
      const { code, out } = await store(...command)
      expect([command[0], code]).toEqual([command[0], 0])
      expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u)
    }
    expect((await store('find', '--host', 'edge', '--json')).code).toBe(2)
  })
})

describe('alvarium store ingest of a topic', () => {
  const broker = brokerForAll()

  // claim: store-35
  it('stores messages before it acknowledges them: a durable subscription loses none', async () => {
    const { lines, key } = await fabric('a', 'b', 'c')
    const messages = lines.map((line) => utf8(line))
    const topic = [
      '--url',
      broker().url,
      '--topic',
      'kept',
      '--client-id',
      'store-1',
      '--database',
      server.url,
    ]
    const ingest = ['store', 'ingest', ...topic, '-n']
    await store('init')
    const first = await whileListening(broker(), [...ingest, '2', ...key], () =>
      publishTo(broker(), 'kept', messages.slice(0, 2)),
    )
    expect(first).toMatchObject({ code: 0, out: '✓ 2 bundles stored\n' })
    await publishTo(broker(), 'kept', messages.slice(2))
    expect((await alvarium([...ingest, '1', ...key])).out).toBe('✓ 1 bundle stored\n')
    const altered = utf8(lines[0]?.replace('edge-7', 'edge-8') ?? '')
    const last = await whileListening(broker(), [...ingest, '1', ...key, '--json'], () =>
      publishTo(broker(), 'kept', [altered, messages[0] as Uint8Array]),
    )
    const none = { bundles: 0, controlMessages: 0, quarantined: 0, skipped: 0 }
    expect([last.code, JSON.parse(last.out)]).toEqual([
      1,
      { ...none, copies: 1, rejected: { SIGNATURE_INVALID: 1 } },
    ])
  })

  it('writes rejected messages to a file of dead letters, from which they can be stored later', async () => {
    const [{ lines, key: other }, { write, at, key, lines: known }] = [await fabric('a'), await fabric('b')]
    const topic = ['--url', broker().url, '--topic', 'letters', '-n', '1', '--database', server.url]
    const letters = ['--dead-letters', at('dead.ndjson')]
    await store('init')
    const stray = ['{\n}', ...lines, ...known].map((line) => utf8(line))
    const { out } = await whileListening(
      broker(),
      ['store', 'ingest', ...topic, ...key, ...letters, '--json'],
      () => publishTo(broker(), 'letters', stray),
    )
    expect(JSON.parse(out)).toMatchObject({ bundles: 1, quarantined: 1, rejected: { MESSAGE_MALFORMED: 1 } })
    const again = await store('ingest', at('dead.ndjson'), ...other)
    expect(again.out).toContain('1 bundle stored')
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('dead.ndjson:1')])
    const none = await store('ingest', await write('x', 'x'), ...letters)
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('works only with --url')])
  })

  it('reports and quarantines messages that the database refuses, as it does with messages of a file', async () => {
    const { lines, file, key } = await fabric('a')
    const topic = ['--url', broker().url, '--topic', 'refused', '-n', '1', '--database', server.url]
    const wanted = [2, { bundles: 0, quarantined: 1 }]
    await store('init')
    await client.query('alter table alvarium.bundle add constraint odd check (place < 0)')
    const ofTopic = await whileListening(broker(), ['store', 'ingest', ...topic, ...key, '--json'], () =>
      publishTo(
        broker(),
        'refused',
        lines.map((line) => utf8(line)),
      ),
    )
    expect([ofTopic.code, JSON.parse(ofTopic.out)]).toMatchObject(wanted)
    const ofFile = await store('ingest', file, ...key, '--json')
    expect([ofFile.code, JSON.parse(ofFile.out)]).toMatchObject(wanted)
  })

  it('stores messages signed under leases, and receives the leases from the broker', async () => {
    const { at, write, signingKey } = await signer()
    const keys = [text(await readFile(at('public.key')))]
    const trust = await write('trust.json', JSON.stringify({ signers: [{ name: 'gateway-1', keys }] }))
    const given: Uint8Array[] = []
    const stream = memory()
    const sdk = await openSdk({
      signingKey: leased(signingKey, { onLease: (lease) => given.push(lease) }),
      annotators: [source()],
      stream,
    })
    await sdk.create(utf8('a'))
    await sdk.close()
    await store('init')
    const topic = ['--url', broker().url, '--topic', 'leased', '--database', server.url]
    const ran = await whileListening(
      broker(),
      ['store', 'ingest', ...topic, '-t', trust, '-n', '1', '--json'],
      async () => {
        await publishTo(broker(), 'leased/signers', given)
        await publishTo(broker(), 'leased', stream.messages)
      },
    )
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([0, { bundles: 1, quarantined: 0, rejected: {} }])
  })
})

describe('alvarium store reports', () => {
  const at = (database: string) => alvarium(['store', 'about', ...asKey('a'), '--database', database])

  it('a database that does not answer, and a database user that does not exist', async () => {
    const { code, err } = await at('postgres://me:secret@127.0.0.1:1/x')
    expect([code, err]).toEqual([2, expect.stringContaining('--database: expected the database to answer')])
    expect(err).toContain('(check that it runs at this address, and the user')
    expect(err).not.toContain('secret')
    expect((await at(server.url.replace('postgres@', 'nobody@'))).err).toContain(
      'role "nobody" does not exist',
    )
  })

  // claim: store-operating-13
  it('a store of a newer version', async () => {
    await store('init')
    await client.query('insert into alvarium.version values (999)')
    expect((await store('about', ...asKey('a'))).err).toMatch(/or older, got 999: update alvarium-sdk\n$/)
  })

  it('a database without a store, and creates nothing in it', async () => {
    await client.query('drop schema if exists alvarium cascade')
    const { code, err } = await store('about', ...asKey('a'))
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('which has no store\n(alvarium store init makes one)'),
    ])
    const { rows } = await client.query("select to_regnamespace('alvarium') as schema")
    expect(rows).toEqual([{ schema: null }])
  })

  it('a folder that is missing or empty, and a URL that is not of PostgreSQL', async () => {
    for (const folder of [join('/tmp', 'no-such-store'), 'C:\\no-such-store']) {
      const { err, code } = await at(folder)
      expect([code, err]).toEqual([
        2,
        expect.stringContaining('which is not there: alvarium store init makes one'),
      ])
    }
    const empty = await mkdtemp(join(tmpdir(), 'alvarium-empty-'))
    onTestFinished(() => rm(empty, { recursive: true }))
    expect(await at(empty)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/which has no store\n\(alvarium store init makes one\)/),
    })
    expect(await readdir(empty)).toEqual([])
    expect((await at('mysql://me:secret@db')).err).toMatch(/expected .* postgres:\/\/.*mysql:\/\/db/)
  })

  // claim: store-36
  it('that serving on a public address needs a token', async () => {
    const { code, err } = await store('serve', '--host', '0.0.0.0')
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('--token-file: needs a file with a token, because others reach --host 0.0.0.0'),
    ])
  })
})

describe('alvarium store serve', () => {
  /** Starts the server, queries it, and ends it by Ctrl-C. */
  async function served<T>(ask: (url: string) => Promise<T>, ...args: string[]): Promise<T> {
    const interrupt = new AbortController()
    let told = (_: string) => {}
    const listening = new Promise<string>((resolve) => {
      told = resolve
    })
    const running = alvarium(['store', 'serve', '--port', '0', '--database', server.url, ...args], {
      signal: interrupt.signal,
      onOut: (piece) => told(/http:\S+(?=\/docs)/.exec(piece)?.[0] ?? ''),
    })
    const result = await ask(
      await Promise.race([listening, running.then(({ err }) => Promise.reject(new Error(err)))]),
    )
    interrupt.abort()
    expect((await running).code).toBe(130)
    return result
  }

  const raw = (url: string, request: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = ''
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(request))
      socket.setEncoding('latin1').on('data', (piece) => {
        answer += piece
      })
      socket.on('end', () => resolve(answer)).on('error', reject)
    })

  it('answers requests, even with a payload key of 60,000 bytes, until a signal ends it', async () => {
    await store('init')
    await served(async (url) => {
      const key = encodeURIComponent('ü'.repeat(30_000))
      const response = await fetch(`${url}/payload?hash=none&key=${key}`)
      expect([response.status, (await response.json()).bundles]).toEqual([200, 0])
      expect((await fetch(`${url}/docs`)).headers.get('content-type')).toContain('text/html')
      expect((await fetch(`${url}/stats`, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
      expect((await fetch(`${url}/stats`, { method: 'POST', body: 'x' })).status).toBe(405)
    })
  })

  it('refuses requests for another host, and invalid requests', async () => {
    await store('init')
    await served(async (url) => {
      const status = async (request: string) => (await raw(url, request)).split('\r\n')[0]
      expect(await status('GET /stats HTTP/1.1\r\nHost: rebound.example\r\n\r\n')).toContain('403')
      expect(await status('GET http://localhost/stats HTTP/1.1\r\nHost: localhost\r\n\r\n')).toContain('400')
      expect(await status('GET /stats HTTP/1.1\r\nHost: a b\r\n\r\n')).toContain('400')
      expect(await status('TRACE /stats HTTP/1.1\r\nHost: localhost\r\n\r\n')).toContain('400')
      expect(
        await status('GET /stats HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc'),
      ).toContain('413')
      expect(await status('GET /stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).toContain(
        '200',
      )
    })
  })

  it('requires the token that --token-file contains', async () => {
    await store('init')
    const { write } = await signer()
    const token = 'f'.repeat(64)
    const file = await write('token', `${token}\n`)
    await served(
      async (url) => {
        expect((await fetch(`${url}/stats`)).status).toBe(401)
        expect((await fetch(`${url}/stats`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(
          200,
        )
      },
      '--token-file',
      file,
      '--connections',
      '2',
    )
  })
})
