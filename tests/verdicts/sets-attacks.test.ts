import { generateKey, keyOf, toHex } from 'alvarium-sdk'
import {
  proveAbsent,
  proveMember,
  proveUpdate,
  sealSet,
  verifyAbsent,
  verifyMember,
  verifySet,
  verifyUpdate,
} from 'alvarium-sdk/sets'
import { describe, expect, it } from 'vitest'
import { alvarium } from '../cli/command.js'
import { signer } from '../cli/messages.js'
import { concat, textOf, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'

const ROWS = ['1,21.4', '2,19.8', '3,20.1']
const CSV = `id,celsius\n${ROWS.join('\n')}\n`

/** Returns a set of the rows of a file, with the files for questions about it. */
async function sealedFile(content = CSV, name = 'readings.csv') {
  const parties = await signer()
  const { at, key, write } = parties
  const data = await write(name, content)
  const set = (...args: string[]) => alvarium(['set', ...args])
  await set('seal', data, '-k', at('private.key'), '-o', at('set.json'), '-l', at('set.list'))
  const prove = (...args: string[]) => set('prove', at('set.list'), ...args)
  const verify = (...args: string[]) => set('verify', at('set.json'), ...args, ...key)
  return { ...parties, data, set, prove, verify }
}

const { signingKey, verifyingKey } = generateKey()
const keyring = [verifyingKey]
const ended = (message: Uint8Array, end: string) => concat(message, utf8(end))

describe('a line end next to a message about a set', () => {
  it.each(['\n', '\r\n'])(
    'is not part of the message: a set, a proof and an update can be read even if they end with %j',
    async (end) => {
      const before = await sealSet(ROWS.map(utf8), { signingKey })
      const after = await sealSet(ROWS.slice(1).map(utf8), { signingKey })
      const set = await verifySet(ended(before.message, end), { keyring })
      expect(set.id).toBe((await verifySet(before.message, { keyring })).id)
      const [row, other] = [utf8(ROWS[0] ?? ''), utf8('other')]
      expect(verifyMember(set, ended(proveMember(before.list, row), end), row).index).toBeTypeOf('number')
      expect(verifyAbsent(set, ended(proveAbsent(before.list, other), end), other).sorted).toBe('claimed')
      const update = ended(await proveUpdate(before.list, after.list), end)
      const changed = await verifyUpdate(set, await verifySet(after.message, { keyring }), { update })
      expect(changed.removed).toHaveLength(1)
    },
  )

  it.each(['\n\n', '\r', ' ', '\n ', ' \n', '\n\r', '\0', '\t', '\ufeff', '\n{}'])(
    'is accepted only once and alone: a set with %j after it is malformed',
    async (end) => {
      const { message } = await sealSet(ROWS.map(utf8), { signingKey })
      expect(await codeOf(() => verifySet(ended(message, end), { keyring }))).toBe('MESSAGE_MALFORMED')
    },
  )

  it('is refused in front of the message, and does not make the maximum length greater', async () => {
    const { message } = await sealSet(ROWS.map(utf8), { signingKey })
    expect(await codeOf(() => verifySet(concat(utf8('\n'), message), { keyring }))).toBe('MESSAGE_MALFORMED')
    const long = ended(new Uint8Array(8193).fill(0x20), '\n')
    expect(await codeOf(() => verifySet(long, { keyring }))).toBe('MESSAGE_MALFORMED')
  })

  it('is accepted by verifySet at the end of a file that the command set seal wrote', async () => {
    const { at } = await sealedFile()
    const { readFile } = await import('node:fs/promises')
    const key = Buffer.from(await readFile(at('public.key'), 'utf8'), 'hex')
    expect((await verifySet(await readFile(at('set.json')), { keyring: [key] })).size).toBe(3)
  })
})

describe('a proof about one row of a file', () => {
  it('is not made for a row that was cut out with its line end, and the hint names the row', async () => {
    const { prove, write, at } = await sealedFile()
    const row = await write('row', '2,19.8\n')
    const { code, err, out } = await prove(row, '-o', at('proof.json'))
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('✗ does not hold: it is absent')
    expect(err).toContain('without its line end it is in the set')
    expect(err).toContain('--record')
    const { existsSync } = await import('node:fs')
    expect(existsSync(at('proof.json'))).toBe(false)
  })

  it.each(['2,19.8\r\n', '2,19.8'])('is not made for a row with another line end: %j', async (row) => {
    const { prove, write } = await sealedFile(row.endsWith('\n') ? CSV : '1,21.4\n', 'whole.bin')
    const given = await write('row', row.endsWith('\n') ? row : '1,21.4')
    const { code, err } = await prove(given)
    expect(code).toBe(1)
    if (!row.endsWith('\n')) expect(err).toContain('with a line end it is in the set')
  })

  it('is made by the number of the row in the file, and verifies by that number', async () => {
    const { prove, verify, data, at } = await sealedFile()
    const made = await prove('--record', '2', data, '-o', at('proof.json'))
    expect([made.code, made.err]).toEqual([0, '✓ holds: record 2 is a member of the set, by its list\n'])
    const checked = await verify(at('proof.json'), '--record', '2', data)
    expect([checked.code, checked.out]).toEqual([0, expect.stringContaining('✓ member')])
    const other = await verify(at('proof.json'), '--record', '3', data)
    expect([other.code, other.out]).toEqual([1, expect.stringContaining('PROOF_INVALID')])
  })

  it('cannot be made for a row number that the file does not have, and the failure is no proof of absence', async () => {
    const { prove, data } = await sealedFile()
    const { code, err } = await prove('--record', '4', data, '--expect', 'absent')
    expect([code, err]).toEqual([2, expect.stringContaining('--record: expected 1 to 3')])
    expect((await prove('--record', '1', '--payload-key', keyOf(utf8('a')))).code).toBe(2)
  })

  it('is a proof of absence only with --expect absent, and only if the row is not in the set', async () => {
    const { prove, write, at } = await sealedFile()
    const [mine, other] = [await write('mine', '2,19.8'), await write('other', '2,19.9')]
    const absent = await prove(other, '--expect', 'absent', '-o', at('no.json'))
    expect([absent.code, absent.err]).toEqual([0, expect.stringContaining('✓ holds: it is absent')])
    expect(await prove(mine, '--expect', 'absent', '-o', at('x.json'))).toMatchObject({ code: 1, out: '' })
    expect(await prove(mine, '--expect', 'member')).toMatchObject({ code: 0 })
    expect(await prove(mine, '--expect', 'maybe')).toMatchObject({ code: 2 })
  })

  it('verifies as "absent" if it is a proof of absence, and states whether the order of the set was checked or only claimed', async () => {
    const { prove, verify, write, at } = await sealedFile()
    const row = await write('row', '2,19.8\n')
    await prove(row, '--expect', 'absent', '-o', at('no.json'))
    const { out, err } = await verify(at('no.json'), row)
    expect(out).toContain('✓ absent: the payload is not in the set, sorted: claimed')
    expect(err).toContain('without its line end')
    const audited = await verify(at('no.json'), row, '--list', at('set.list'))
    expect(audited.out).toContain('sorted: checked')
    expect(JSON.parse((await verify(at('no.json'), row, '--json')).out.split('\n')[1] ?? '')).toMatchObject({
      payload: 'absent',
      sorted: 'claimed',
    })
  })

  it('does not hold with --expect member if it is a proof of absence', async () => {
    const { prove, verify, write, at } = await sealedFile()
    const other = await write('other', '9,9')
    await prove(other, '--expect', 'absent', '-o', at('no.json'))
    const asked = await verify(at('no.json'), other, '--expect', 'member')
    expect([asked.code, asked.out]).toEqual([1, expect.stringContaining('✗')])
    expect((await verify(at('no.json'), other, '--expect', 'absent')).code).toBe(0)
  })
})

describe('a set without a verified signature', () => {
  it('stays undecided without the key of its signer, with and without a proof', async () => {
    const { at, set, prove, write } = await sealedFile()
    const stranger = await write('stranger.key', toHex(generateKey().verifyingKey))
    const mine = await write('mine', '2,19.8')
    await prove(mine, '-o', at('yes.json'))
    for (const more of [[], [at('yes.json'), mine]]) {
      const { code, out } = await set('verify', at('set.json'), ...more, '-k', stranger)
      expect([code, out]).toEqual([2, expect.stringMatching(/^\? .*SIGNER_UNKNOWN/)])
      expect(out).toContain("needs the sender's public key")
    }
  })

  it('is refused if a character of its signature, root, number of rows or host is altered', async () => {
    const { at, write, set, key } = await sealedFile()
    const { readFile } = await import('node:fs/promises')
    const text = textOf(await readFile(at('set.json')))
    for (const [from, to] of [
      [/"signature":"./, (hit: string) => `${hit.slice(0, -1)}${hit.endsWith('0') ? '1' : '0'}`],
      [/"root":"./, (hit: string) => `${hit.slice(0, -1)}${hit.endsWith('0') ? '1' : '0'}`],
      [/"rows":3/, () => '"rows":4'],
      [/"host":"/, (hit: string) => `${hit}x`],
    ] as const) {
      const altered = await write('altered.json', text.replace(from, to))
      const { code, out } = await set('verify', altered, ...key)
      expect([code, out]).toEqual([1, expect.stringMatching(/✗ SIGNATURE_INVALID/)])
    }
  })
})
