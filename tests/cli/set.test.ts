// @internal: Ctrl-C must come between two pieces of a file, which a test of the command hits only by chance
import { existsSync } from 'node:fs'
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKey, keyOf, toHex } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { writeNew } from '../../dist/cli/set/files.js'
import { alvarium, folder, heldBy, withoutFolder } from './command.js'
import { signer } from './messages.js'

const MIB = 1024 * 1024
const ROWS = 'id,celsius\n1,21.4\n2,19.8\n3,20.1\n2,19.8\n'

/** A list does not tell whether its set has a salt. */
const ABSENT = '✓ holds: it is absent from the set, by its list, or the set has a salt: give it with --salt\n'
const MEMBER = '✓ holds: it is a member of the set, by its list\n'

async function sealed(more: readonly string[] = [], content = ROWS) {
  const { at, key, write, keyId } = await signer()
  const files = ['-o', at('set.json'), '-l', at('set.list')]
  const data = await write('readings.csv', content)
  const ran = await alvarium(['set', 'seal', data, '-k', at('private.key'), '-n', 'may', ...files, ...more])
  const set = async (...args: string[]) => {
    const { out, err, code } = await alvarium(['set', ...args])
    return { out: withoutFolder(out), err: withoutFolder(err), code }
  }
  const verify = (...args: string[]) => set('verify', at('set.json'), ...args, ...key)
  return { ran, at, key, write, keyId, set, verify }
}

describe('alvarium set', () => {
  it('signs the records of a file, proves one record and the absence of another, and verifies both proofs', async () => {
    const { ran, at, keyId, write, set, verify } = await sealed()
    expect([ran.code, ran.out.split('\n')[0]]).toEqual([0, `✓ 4 sealed, 3 different, by ${keyId}`])
    const [mine, other] = [await write('mine', '2,19.8'), await write('other', '2,19.9')]
    const yes = await set('prove', at('set.list'), mine, '-o', at('yes.json'))
    const no = await set('prove', at('set.list'), other, '-o', at('no.json'), '--expect', 'absent')
    expect([yes, no].map(({ err, code }) => [err, code])).toEqual([
      [MEMBER, 0],
      [ABSENT, 0],
    ])
    const [is, isNot] = [await verify(at('yes.json'), mine), await verify(at('no.json'), other)]
    expect([is.code, isNot.code]).toEqual([0, 0])
    expect(is.out).toMatch(
      /^✓ verified: set may: 4 payloads, 3 different, sorted: claimed, sealed by \w{32} at [^\n]+\n✓ member: the payload is in the set\n✓ holds: verified, sorted: claimed, member, on the trust of \S+\n$/,
    )
    expect(isNot.out).toContain(
      '✓ absent: the payload is not in the set, sorted: claimed by its signer: --list checks that\n',
    )
    const audited = await verify(at('no.json'), other, '--list', at('set.list'))
    expect(audited.out).toMatch(
      /3 different, sorted: checked, [^\n]+\n✓ absent: the payload is not in the set, sorted: checked\n✓ holds: /,
    )
  })

  it('proves a text file as one payload only if the file was signed with --format whole', async () => {
    const { at, key, write, set, verify } = await sealed()
    const data = await write('readings.csv', ROWS)
    const asked = await set('prove', at('set.list'), data, '-o', at('no.json'), '--expect', 'absent')
    const note =
      'readings.csv was looked up as one payload, but annotate and set seal sign each of its records'
    expect(asked.err).toContain(note)
    expect((await verify(at('no.json'), data)).err).toContain(note)
    const whole = ['-o', at('w.json'), '-l', at('w.list'), '--format', 'whole']
    await alvarium(['set', 'seal', data, '-k', at('private.key'), ...whole])
    const found = await set('prove', at('w.list'), data, '-o', at('yes.json'))
    expect(found.err).toBe(MEMBER)
    expect((await set('verify', at('w.json'), at('yes.json'), data, ...key)).code).toBe(0)
  })

  it('signs and proves a payload of 256 MiB with less than 128 MiB of memory', async () => {
    const { at, set } = await sealed()
    await writeFile(at('payload'), '')
    await truncate(at('payload'), 256 * MIB)
    const files = ['-k', at('private.key'), '-o', at('p.json'), '-l', at('p.list')]
    const seal = await heldBy(() => set('seal', at('payload'), ...files))
    const prove = await heldBy(() => set('prove', at('p.list'), at('payload')))
    expect([seal.result.code, prove.result.err]).toEqual([0, MEMBER])
    expect(Math.max(seal.mib, prove.mib)).toBeLessThan(128)
  })

  it('names the number of an invalid line in a list of payload keys', async () => {
    const { at, write, set } = await sealed()
    const keys = await write('keys', `${keyOf(new Uint8Array(1)).toLowerCase()}\r\n\nnone  cat.jpg\n`)
    const files = ['-o', at('k.json'), '-l', at('k.list')]
    expect(await set('seal', keys, '-k', at('private.key'), '--payload-keys', ...files)).toMatchObject({
      code: 2,
      err: expect.stringContaining('keys:3: expected a payload key of sha256, 64 hexadecimal digits, got'),
    })
  })

  it('reports an error of the file system once, with the path', async () => {
    const { at, set } = await sealed()
    for (const file of [at('nothing'), at('.')])
      expect((await set('prove', at('set.list'), file)).err).toMatch(
        /^alvarium: \S*: expected a file or folder that can be read, got E\w+: [^:\n]*\n$/,
      )
  })

  it('refuses an endless --salt file', async () => {
    const { verify } = await sealed()
    expect(await verify('--salt', '/dev/zero')).toMatchObject({
      code: 2,
      err: `alvarium: --salt /dev/zero: expected a file of UTF-8 that can be read, got a file of more than 33554432 bytes\n`,
    })
  })

  // claim: sets-4
  it('verify exits with 1 if a proof does not verify, and with 2 if no verdict is possible', async () => {
    const { at, write, set, verify } = await sealed()
    const [mine, other] = [await write('mine', '2,19.8'), await write('other', '2,19.9')]
    await set('prove', at('set.list'), mine, '-o', at('yes.json'))
    expect(await verify(at('yes.json'), other)).toMatchObject({
      code: 1,
      out: expect.stringContaining('✗ PROOF_INVALID'),
    })
    expect(await verify(at('yes.json'), other, '--json')).toMatchObject({
      out: expect.stringContaining('{"verified":false,"outcome":"does not hold","code":"PROOF_INVALID"'),
    })
    const stranger = await write('stranger.key', toHex(generateKey().verifyingKey))
    expect(await set('verify', at('set.json'), '-k', stranger)).toMatchObject({ code: 2 })
    const list = await readFile(at('set.list'))
    await writeFile(at('other.list'), Buffer.concat([list.subarray(32), list.subarray(0, 32)]))
    expect(await verify('--list', at('other.list'))).toMatchObject({
      code: 1,
      out: expect.stringContaining('MESSAGE_MALFORMED'),
    })
    await writeFile(at('other.list'), list.subarray(32))
    expect(await verify('--list', at('other.list'))).toMatchObject({
      code: 1,
      out: expect.stringContaining('PROOF_INVALID'),
    })
    expect(await verify(at('none.json'), mine)).toMatchObject({ code: 2, out: '' })
    expect(await verify(at('yes.json'))).toMatchObject({ code: 2 })
    expect(await verify('--update', at('yes.json'))).toMatchObject({ code: 2 })
  })

  // claim: sets-3
  it("makes the same salted set from a folder and from a list of the payload keys of the folder's files", async () => {
    const { at, key, write, set } = await sealed()
    await mkdir(at('images'))
    for (const name of ['cat', 'dog']) await writeFile(join(at('images'), name), name)
    const salt = await write('salt', `${'ab'.repeat(32)}\n`)
    const files = ['-o', at('a.json'), '-l', at('a.list'), '--salt', salt]
    expect(await set('seal', at('images'), '-k', at('private.key'), ...files)).toMatchObject({ code: 0 })
    const keys = ['cat', 'dog'].map((name) => keyOf(Buffer.from(name)).toLowerCase()).join('\n')
    const piped = [
      'set',
      'seal',
      '-',
      '-k',
      at('private.key'),
      '--payload-keys',
      '-o',
      at('b.json'),
      '-l',
      at('b.list'),
    ]
    expect(await alvarium([...piped, '--salt', salt], { input: keys })).toMatchObject({ code: 0 })
    expect(await readFile(at('b.list'))).toEqual(await readFile(at('a.list')))
    const cat = keyOf(Buffer.from('cat'))
    await set('prove', at('b.list'), '--payload-key', cat, '--salt', salt, '-o', at('p.json'))
    const ask = ['verify', at('a.json'), at('p.json'), '--payload-key', cat, ...key]
    expect(await set(...ask, '--salt', salt, '--json')).toMatchObject({
      code: 0,
      out: expect.stringContaining('\n{"payload":"member","index":'),
    })
    expect(await set(...ask)).toMatchObject({ code: 2, err: expect.stringContaining('salt') })
  })

  // claim: sets-5
  it('verifies the update from a set to a later set, and refuses it in the other direction', async () => {
    const { at, set, write, key } = await sealed()
    const later = await write('later.csv', 'id,celsius\n1,21.4\n4,18.0\n')
    await set('seal', later, '-k', at('private.key'), '-o', at('june.json'), '-l', at('june.list'))
    await set('update', at('set.list'), at('june.list'), '-o', at('update.json'))
    const ask = ['verify', at('june.json'), '--before', at('set.json'), ...key]
    const short = await set(...ask, '--update', at('update.json'))
    expect(short.out).toContain(
      '✓ 1 added, 2 removed, others: claimed (only both lists show that nothing else changed)\n',
    )
    const lists = ['--list', at('june.list'), '--before-list', at('set.list')]
    expect((await set(...ask, ...lists)).out).toContain('✓ 1 added, 2 removed, others: checked\n')
    const backwards = await set(
      'verify',
      at('set.json'),
      '--before',
      at('june.json'),
      '--update',
      at('update.json'),
      ...key,
    )
    expect([backwards.code, backwards.out]).toEqual([1, expect.stringContaining('PROOF_INVALID')])
  })

  it('overwrites no file, and writes both files of a set or neither', async () => {
    const { at, set, write } = await sealed()
    const before = await readFile(at('set.json'))
    const again = ['seal', at('readings.csv'), '-k', at('private.key')]
    expect(await set(...again, '-o', at('set.json'), '-l', at('x.list'))).toMatchObject({ code: 2 })
    expect(await set(...again, '-o', at('x.json'), '-l', at('set.list'))).toMatchObject({ code: 2 })
    expect(await readFile(at('set.json'))).toEqual(before)
    const cut = await write('cut.csv', 'id,celsius\n1,"21')
    expect(
      await set('seal', cut, '-k', at('private.key'), '-o', at('x.json'), '-l', at('x.list')),
    ).toMatchObject({ code: 2 })
    expect(['x.json', 'x.list'].map((name) => existsSync(at(name)))).toEqual([false, false])
  })

  it('writes no list if it cannot write the set, so that a second run succeeds', async () => {
    const { at, set } = await sealed()
    const again = ['seal', at('readings.csv'), '-k', at('private.key'), '-l', at('x.list')]
    expect((await set(...again, '-o', at('none/x.json'))).err).toContain('--out')
    expect(await set(...again, '-o', at('x.json'))).toMatchObject({ code: 0 })
  })

  it('refuses two options that would both read standard input, and names both', async () => {
    const { set, key } = await sealed()
    for (const [args, named] of [
      [['-', '-', 'payload'], '<proof>: expected a file, got -, although <set> is read from standard input'],
      [['-', 'proof', '-'], '<payload>: expected a file, got -, although <set> is read from standard input'],
      [['set', '--before', '-', '--update', '-'], 'although --before is read from standard input'],
    ] as const) {
      expect(await set('verify', ...args, ...key)).toMatchObject({
        code: 2,
        err: expect.stringContaining(named),
      })
    }
  })

  it.each([
    ['a million empty lines', Buffer.alloc(1_000_000, '\n')],
    ['a line of a megabyte', Buffer.alloc(1_000_000, 'a')],
    ['NUL', Buffer.alloc(96)],
    ['a BOM and CRLF', Buffer.from(`\ufeff${'AB'.repeat(32)}\r\n`)],
    ['nothing', Buffer.alloc(0)],
  ])('refuses a list that contains %s', async (_, bytes) => {
    const { verify, at } = await sealed()
    await writeFile(at('hostile.list'), bytes)
    const { code, out } = await verify('--list', at('hostile.list'))
    expect([code, out]).toEqual([1, expect.stringMatching(/^✗ (MESSAGE_MALFORMED|PROOF_INVALID) {2}\S/)])
  })

  it.runIf(existsSync('/dev/zero'))(
    'verify fails on an endless list, and on a folder in place of a list',
    async () => {
      const { verify, at } = await sealed()
      expect(await verify('--list', '/dev/zero')).toMatchObject({ code: 1 })
      expect(await verify('--list', at('.'))).toMatchObject({
        code: 2,
        err: expect.stringContaining('expected a file or folder that can be read'),
      })
    },
  )

  it('verify reports only once why a file cannot be read', async () => {
    const { verify, at } = await sealed()
    const { code, err } = await verify(at('none.json'), at('none'))
    expect([code, err.match(/expected/g)]).toEqual([2, ['expected']])
  })

  it.each([
    ['in the middle', [1, 2, 3], 2],
    ['after the last piece', [1, 2, 3], 4],
  ])('removes the unfinished output file when it is interrupted %s', async (_, pieces, stopAt) => {
    const path = join(await folder(), 'new')
    const interrupt = new AbortController()
    const began: boolean[] = []
    const making = async function* () {
      for (const piece of pieces) {
        if (piece === stopAt) interrupt.abort()
        yield Uint8Array.of(piece)
      }
      interrupt.abort()
    }
    const session = { begin: () => void began.push(existsSync(path)), interrupted: interrupt.signal }
    await expect(writeNew('--out', path, making(), session)).rejects.toThrow()
    expect([existsSync(path), began]).toEqual([false, [false]])
  })
})
