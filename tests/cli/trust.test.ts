import { chmod, readdir, readFile, stat, truncate } from 'node:fs/promises'
import { generateKey, toHex } from 'alvarium-sdk'
import { sealSet } from 'alvarium-sdk/sets'
import { issueLease } from 'alvarium-sdk/trust'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { messageFrom } from '../support/trust.js'
import { alvarium, inPipe } from './command.js'
import { signer, text } from './messages.js'

/** Makes a signer with a policy about it, and returns functions that run the command. */
async function workshop(rules: object = {}, name = 'trust.json') {
  const { write, at, key, sealed, signingKey, keyId, cwd } = await signer()
  const keyText = text(await readFile(at('public.key')))
  const policy = { signers: [{ name: 'gateway-1', keys: [keyText], ...rules }] }
  const trust = await write(name, JSON.stringify(policy, null, 2))
  const messages = await sealed()
  const message = await write('message.json', messages.a)
  const other = generateKey()
  const otherKey = await write('other.key', toHex(other.verifyingKey))
  const read = async () => JSON.parse(text(await readFile(trust)))
  return { trust, message, messages, key, keyText, keyId, otherKey, other, write, at, read, signingKey, cwd }
}

describe('--trust', () => {
  it("verifies with a trust policy, and shows the signer's name and whose time was used", async () => {
    const { trust, message } = await workshop()
    const { code, out } = await alvarium(['verify', message, '--trust', trust])
    expect([code, out]).toEqual([0, expect.stringMatching(/signer +gateway-1, key [\da-f]{32}\n/)])
    expect(out).toContain("judged by    the signer's own time")
    const json = await alvarium(['verify', message, '--json', '-t', trust])
    expect(JSON.parse(json.out).bundles[0].signedBy).toMatchObject({ name: 'gateway-1', time: 'signed' })
  })

  it('warns of keys that cannot be used, in an OpenSSH list of keys and in a JSON Web Key Set', async () => {
    const { message, write, other } = await workshop()
    const jwk = {
      kty: 'OKP',
      crv: 'Ed25519',
      kid: 'other',
      x: Buffer.from(other.verifyingKey).toString('base64url'),
    }
    const set = await write(
      'keys.json',
      JSON.stringify({ keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }, jwk] }),
    )
    const skipped = 'skipped 1 key that cannot be used: keys.0: RSA'
    const { code, err } = await alvarium(['verify', message, '--trust', set])
    expect([code, err]).toEqual([2, expect.stringContaining(`warning  ${set}: ${skipped}`)])
    const check = await alvarium(['trust', 'check', set])
    expect([check.code, check.err]).toEqual([0, `warning  ${set}: ${skipped}\n`])
    const json = await alvarium(['trust', 'check', set, '--json'])
    expect(JSON.parse(json.out)).toMatchObject({ works: true, skippedKeys: ['keys.0: RSA'] })
    const list = await write('allowed_signers', 'a ssh-rsa AAAA\n')
    const refused = await alvarium(['verify', message, '--trust', list])
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('got 1 of other kinds (line 1: ssh-rsa)'),
    ])
  })

  it('reports a missing trust policy with the code FILE_UNREADABLE', async () => {
    const { at } = await workshop()
    const { code, out } = await alvarium(['trust', 'check', at('missing.json'), '--json'])
    expect([code, JSON.parse(out)]).toMatchObject([2, { works: false, code: 'FILE_UNREADABLE' }])
  })

  it('refuses statements that the policy does not permit, in verify and in score', async () => {
    const { trust, message } = await workshop({ kinds: ['tls'] })
    for (const command of ['verify', 'score']) {
      const { code, out, err } = await alvarium([command, message, '--trust', trust])
      expect([code, out + err]).toEqual([1, expect.stringContaining('SIGNER_NOT_ALLOWED')])
    }
  })

  it('uses the --received-at time for stored messages, in verify and in score', async () => {
    const { trust, message, key } = await workshop({ revoked: { since: '2101-01-01T00:00:00Z' } })
    for (const command of ['verify', 'score']) {
      const asked = [command, message, '--received-at', '2100-12-31T23:59:59Z']
      expect((await alvarium([command, message, '-t', trust])).code).toBe(1)
      expect((await alvarium([...asked, '-t', trust])).code).toBe(0)
      const without = await alvarium([...asked, ...key])
      expect([without.code, without.err]).toEqual([2, expect.stringContaining('works only with --trust')])
      const url = ['--url', 'ws://localhost:1', '--topic', 'a']
      const beside = await alvarium([command, ...asked.slice(2), '-t', trust, ...url])
      expect([beside.code, beside.err]).toEqual([2, expect.stringContaining('cannot be combined with --url')])
    }
  })

  it.each(['verify', 'score', 'check', 'audit', 'pack verify', 'trust explain', 'set verify'])(
    'makes alvarium %s refuse a --received-at that is before the time of the signature',
    async (command) => {
      const { trust, write, message, at, signingKey } = await workshop({
        revoked: { since: '2026-01-01T00:00:00Z' },
      })
      const { message: set } = await sealSet([Uint8Array.of(1)], { signingKey, name: 'all' })
      const open = await write(
        'open.json',
        JSON.stringify({ signers: [{ name: 'gateway-1', keys: [text(await readFile(at('public.key')))] }] }),
      )
      await alvarium(['pack', 'make', message, '--query', 'all', '-t', open, '-o', at('all.zip')])
      const file: Record<string, string> = {
        'pack verify': at('all.zip'),
        'set verify': await write('set.json', set),
      }
      const data = command === 'check' ? [await write('a.bin', 'a')] : []
      const asked = [...command.split(' '), ...data, file[command] ?? message, '-t', trust]
      const { code, out, err } = await alvarium([...asked, '--received-at', '2025-12-31T00:00:00Z'])
      expect([code, out + err]).toEqual([
        2,
        expect.stringMatching(
          /--received-at: expected a time that is not before 20\d\d-.+Z, when the message was signed, got 2025-12-31T00:00:00\.000Z/,
        ),
      ])
    },
  )

  // claim: trust-67
  it('reports a message that was signed after --received-at as undecided, and requests the time of receipt', async () => {
    const { trust, message } = await workshop()
    const asked = ['verify', message, '-t', trust, '--received-at', '2025-12-31T00:00:00Z']
    const { out } = await alvarium(asked)
    expect(out.split('\n')[1]).toBe(
      `? cannot tell: 1 message: 0 verified, 1 signed after --received-at, on the trust of the policy ${trust}; needs the time at which the messages were received (--received-at)`,
    )
    const json = await alvarium([...asked, '--json'])
    expect(JSON.parse(json.out)).toMatchObject({ verdict: 'signed', outcome: 'cannot tell' })
  })

  it('accepts in --received-at the millisecond of the signature, and not the millisecond before', async () => {
    const { trust, message, messages } = await workshop()
    const signed = Date.parse(JSON.parse(text(messages.a)).content.timestamp)
    const codeAt = async (ms: number) => {
      const receivedAt = new Date(ms).toISOString()
      return (await alvarium(['verify', message, '-t', trust, '--received-at', receivedAt])).code
    }
    expect([await codeAt(signed), await codeAt(signed - 1)]).toEqual([0, 2])
  })

  it('reports a wrong payload, as the API does, even if the policy does not permit the statement', async () => {
    const { trust, message, write } = await workshop({ kinds: ['tls'] })
    const [own, other] = [await write('own.txt', 'a'), await write('another.txt', 'b')]
    for (const [payload, code] of [
      [own, 'SIGNER_NOT_ALLOWED'],
      [other, 'PAYLOAD_MISMATCH'],
    ] as const) {
      const { out } = await alvarium(['verify', message, '-t', trust, '--payload', payload])
      expect(out).toContain(code)
    }
  })

  // claim: trust-31
  it('accepts leases from files with one lease on each line, in verify and in score', async () => {
    const { trust, message, signingKey, other, write, key, at } = await workshop()
    const lease = async (subject: Uint8Array, name: string) =>
      text(await issueLease(signingKey, { subject, name }))
    const none = generateKey().signingKey
    const some = [await lease(none, 'none'), await lease(other.signingKey, 'line 4')]
    const leases = await write('leases.ndjson', `${some.join('\n')}\n`)
    const alone = await write('lease.json', `${some[1]}\n`)
    const leased = await write('leased.json', await messageFrom({ signingKey: other.signingKey }))
    for (const command of ['verify', 'score']) {
      expect((await alvarium([command, leased, '-t', trust])).code).toBe(2)
      expect((await alvarium([command, leased, '-t', trust, '--leases', leases])).code).toBe(0)
      expect((await alvarium([command, leased, '-t', trust, '--leases', alone])).code).toBe(0)
    }
    const json = await alvarium(['verify', leased, message, '--json', '-t', trust, '--leases', leases])
    const [signedBy] = json.out.split('\n').map((line) => line && JSON.parse(line).bundles[0].signedBy)
    expect(signedBy).toMatchObject({ name: 'gateway-1', lease: { name: 'line 4' } })
    const without = await alvarium(['verify', leased, ...key, '--leases', leases])
    expect([without.code, without.err]).toEqual([
      2,
      expect.stringMatching(/--leases .*: works only with --trust/),
    ])
    const gone = await alvarium(['verify', leased, '-t', trust, '--leases', at('gone.json')])
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('--leases')])
  })

  it('is refused together with --key, and if the policy is invalid', async () => {
    const { trust, message, key, write } = await workshop()
    const both = await alvarium(['verify', message, '--trust', trust, ...key])
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('cannot be combined with --key')])
    const bad = await write('bad.json', '{"signers": [{"name": "a", "keys": ["x"]}]}')
    const { code, err } = await alvarium(['verify', message, '--trust', bad])
    expect([code, err]).toEqual([2, expect.stringContaining('signers.0.keys.0: expected a public key')])
  })
})

describe('alvarium trust check', () => {
  it('lists the signers that a policy trusts', async () => {
    const { trust, keyId } = await workshop({
      hosts: ['edge-*', ''],
      actions: [],
      until: '2030-01-01T00:00:00Z',
    })
    const { code, out } = await alvarium(['trust', 'check', trust])
    expect(code).toBe(0)
    expect(out.split('\n').slice(1)).toEqual([
      '  gateway-1 until 2030-01-01T00:00:00Z',
      `    key ${keyId}`,
      '    hosts: edge-*, ""',
      '    actions: none',
      '',
    ])
    const json = await alvarium(['trust', 'check', '--json', trust])
    expect(JSON.parse(json.out)).toMatchObject({
      works: true,
      signers: [{ name: 'gateway-1', keys: [{ id: keyId }] }],
    })
  })

  it('works in a process that has loaded no other command', async () => {
    const { trust, keyId } = await workshop({ until: '2030-01-01T00:00:00Z' })
    const { code, out } = await inPipe(['trust', 'check', trust])
    expect([code, out]).toEqual([0, expect.stringContaining(keyId)])
  })

  it('shows only the first 8 tags of a longer list', async () => {
    const { trust } = await workshop({ tags: Array.from({ length: 1000 }, (_, at) => `t${at}`) })
    const { out } = await alvarium(['trust', 'check', trust])
    expect(out).toContain('    tags: t0, t1, t2, t3, t4, t5, t6, t7 and 992 more\n')
  })

  it('lists all faults, and reports a missing file', async () => {
    const { write } = await workshop()
    const bad = await write('bad.yaml', 'signers:\n  - name: a\n    keys: []\n    host: [x]\n')
    const { code, out } = await alvarium(['trust', 'check', bad])
    expect([code, out.split('\n').slice(1)]).toEqual([
      1,
      [
        '    signers.0.keys: expected at least one public key, got an Array',
        '    signers.0.host: is not a known option (hosts?)',
        '',
      ],
    ])
    expect((await alvarium(['trust', 'check', `${bad}.none`])).code).toBe(2)
  })

  it('reports an empty policy, and a policy that is longer than the limit', async () => {
    const { trust, write, otherKey } = await workshop()
    const empty = await write('empty.yaml', '')
    const { out } = await alvarium(['trust', 'check', empty])
    expect(out).toContain('trust: expected JSON or YAML, got an empty text')
    await truncate(trust, 33_554_433)
    for (const command of [
      ['check', trust],
      ['add', 'b', '-t', trust, '-k', otherKey],
    ]) {
      const told = await alvarium(['trust', ...command])
      expect([told.code, told.out + told.err]).toEqual([
        expect.any(Number),
        expect.stringContaining('a file of more than 33554432 bytes'),
      ])
    }
  })
})

describe('alvarium trust explain', () => {
  it('names the entry that permits each field, and the field that no entry permits', async () => {
    const { trust, message, keyId } = await workshop({ hosts: ['edge-*'], kinds: ['src'] })
    const { code, out } = await alvarium(['trust', 'explain', message, '-t', trust])
    expect([code, out]).toEqual([1, expect.stringContaining('✗ SIGNER_NOT_ALLOWED')])
    expect(out).toMatch(/ {2}signer +gateway-1, key/)
    expect(out).toMatch(/ {2}host +edge-7 {2}✓ by edge-\*/)
    expect(out).toMatch(/ {2}annotations\[1\]\.kind +doubt {2}✗ allowed: src/)
    const json = await alvarium(['trust', 'explain', message, '-t', trust, '--json'])
    expect(JSON.parse(json.out)).toMatchObject({
      index: 0,
      verdict: 'SIGNER_NOT_ALLOWED',
      signedBy: { id: keyId },
    })
  })

  it('uses the given time of receipt', async () => {
    const { trust, message } = await workshop({ revoked: { since: '2101-01-01T00:00:00Z', why: 'stolen' } })
    const explain = ['trust', 'explain', message, '-t', trust]
    expect((await alvarium(explain)).code).toBe(1)
    const { code, out } = await alvarium([...explain, '--received-at', '2100-12-31T00:00:00Z'])
    expect([code, out]).toEqual([0, expect.stringMatching(/✓ verified\n(.*\n)* {2}judged by +when it came/)])
    for (const time of ['yesterday', '2025', '2025-12-31', '2025-12-31T00:00:00']) {
      const { code, err } = await alvarium([...explain, '--received-at', time])
      expect([code, err]).toEqual([2, expect.stringContaining(`--received-at: expected a time such as`)])
    }
  })
})

describe('alvarium trust add, rotate and revoke', () => {
  it('add writes a signer into a new or existing file, and shows the difference', async () => {
    const { at, key, keyText, write, read, trust, otherKey } = await workshop()
    const add = [
      'trust',
      'add',
      'line-4',
      '--trust',
      at('new.json'),
      ...key,
      '--host',
      'line-4-*',
      '--layer',
      'app',
      '--set',
      'may-*',
    ]
    const { code, out } = await alvarium(add)
    expect([code, out]).toEqual([0, expect.stringContaining('+       "name": "line-4",')])
    expect(JSON.parse(text(await readFile(at('new.json'))))).toEqual({
      signers: [{ name: 'line-4', keys: [keyText], hosts: ['line-4-*'], layers: ['app'], sets: ['may-*'] }],
    })
    expect((await alvarium(['trust', 'check', at('new.json')])).out).toContain('sets: may-*')
    expect((await alvarium(add)).err).toContain('alvarium trust rotate gives it a new public key')
    const twice = await alvarium(['trust', 'add', 'b', '-t', trust, ...key])
    expect([twice.code, twice.err]).toEqual([
      2,
      expect.stringContaining('expected a public key that stands only once'),
    ])
    await alvarium(['trust', 'add', 'b', '-t', trust, '-k', otherKey])
    expect((await read()).signers).toHaveLength(2)
    const list = await write('allowed_signers', `a ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\n`)
    expect((await alvarium(['trust', 'add', 'b', '-t', list, '-k', otherKey])).err).toContain(
      'allowed_signers',
    )
  })

  // claim: trust-49
  it('rotate adds a new key to a signer, and sets an end for the old key', async () => {
    const { trust, keyText, otherKey, other, read, message } = await workshop()
    const rotate = [
      'trust',
      'rotate',
      'gateway-1',
      '-t',
      trust,
      '-k',
      otherKey,
      '--until',
      '2030-01-01T00:00:00Z',
    ]
    const dry = await alvarium([...rotate, '--dry-run'])
    const { code, out } = await alvarium(rotate)
    expect([code, out]).toEqual([0, dry.out])
    expect(out).toContain(`-         "${keyText}"`)
    expect((await read()).signers[0].keys).toEqual([
      { key: keyText, until: '2030-01-01T00:00:00Z' },
      toHex(other.verifyingKey),
    ])
    expect((await alvarium(['verify', message, '-t', trust])).code).toBe(0)
  })

  // claim: trust-66
  it('rotate ends the old key a day from now by default', async () => {
    const { trust, otherKey, read } = await workshop()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T10:00:00.999Z') })
    onTestFinished(() => void vi.useRealTimers())
    await alvarium(['trust', 'rotate', 'gateway-1', '-t', trust, '-k', otherKey])
    expect((await read()).signers[0].keys[0].until).toBe('2026-11-21T10:00:00Z')
  })

  // claim: trust-29
  it('revoke ends the trust in a signer, or in one of its keys', async () => {
    const { trust, keyId, message, read, write, otherKey } = await workshop()
    await alvarium(['trust', 'rotate', 'gateway-1', '-t', trust, '-k', otherKey])
    const { code } = await alvarium([
      ...['trust', 'revoke', 'gateway-1', '-t', trust, '--key-id', keyId.slice(0, 8)],
      ...['--since', '2026-11-20T10:00:00Z', '--why', 'stolen'],
    ])
    expect(code).toBe(0)
    expect((await read()).signers[0].keys[0].revoked).toEqual({
      since: '2026-11-20T10:00:00Z',
      why: 'stolen',
    })
    const verified = await alvarium(['verify', message, '-t', trust])
    expect([verified.code, verified.out]).toEqual([1, expect.stringContaining('SIGNER_REVOKED')])
    await alvarium(['trust', 'revoke', 'gateway-1', '-t', trust])
    expect((await read()).signers[0].revoked.since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const unknown = await alvarium(['trust', 'revoke', 'gateway-9', '-t', trust])
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('one of gateway-1')])
    expect(await write('x', '')).toBeDefined()
  })

  it('keep the comments of YAML and the permissions of the file, and create no other file', async () => {
    const { write, keyText, otherKey, cwd } = await workshop()
    const yaml = `# whom we trust\nsigners:\n  - name: gateway-1 # in hall 7\n    keys:\n      - ${keyText}\n`
    const path = await write('trust.yaml', yaml)
    await chmod(path, 0o640)
    const before = await readdir(cwd)
    const { out } = await alvarium(['trust', 'revoke', 'gateway-1', '-t', path, '--why', 'lost'])
    expect(out).toContain('+       why: lost')
    const after = text(await readFile(path))
    expect(after.startsWith(yaml.trimEnd())).toBe(true)
    expect((await stat(path)).mode & 0o777).toBe(0o640)
    expect(await readdir(cwd)).toEqual(before)
    await alvarium(['trust', 'rotate', 'gateway-1', '-t', path, '-k', otherKey])
    expect(text(await readFile(path))).toContain('# in hall 7')
  })

  it('revoke never moves a revocation to a later time, and reports the time that it keeps', async () => {
    const { trust, keyId, read } = await workshop()
    const revoke = ['trust', 'revoke', 'gateway-1', '-t', trust]
    for (const which of [[], ['--key-id', keyId]]) {
      await alvarium([...revoke, ...which, '--since', '2026-11-20T14:00:00Z', '--why', 'stolen'])
      const before = await read()
      const { code, out } = await alvarium([...revoke, ...which, '--why', 'lost'])
      expect([code, out]).toEqual([
        0,
        'nothing has changed: it is revoked since 2026-11-20T14:00:00Z already\n',
      ])
      expect(await read()).toEqual(before)
    }
    await alvarium([...revoke, '--since', '2026-11-20T13:00:00Z'])
    expect((await read()).signers[0].revoked).toEqual({ since: '2026-11-20T13:00:00Z', why: 'stolen' })
  })

  it('revoke refuses the beginning of a key id that several keys share', async () => {
    const { trust, write, read } = await workshop()
    const keys = new Map<string, string>()
    const twin = () => {
      const { keyId, verifyingKey } = generateKey()
      const [digit, key] = [keyId.slice(0, 1), toHex(verifyingKey)]
      const other = keys.get(digit)
      keys.set(digit, key)
      return other && { digit, keys: [other, key] }
    }
    let found = twin()
    while (!found) found = twin()
    const policy = { signers: [{ name: 'gateway-1', keys: found.keys }] }
    await write('trust.json', JSON.stringify(policy))
    const revoke = ['trust', 'revoke', 'gateway-1', '-t', trust, '--key-id', found.digit]
    const { code, err } = await alvarium(revoke)
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`got ${found.digit}, with which 2 key ids begin`),
    ])
    expect(await read()).toEqual(policy)
  })

  it('rotate never moves the end of an old key to a later time, not even from a leap second (:60)', async () => {
    const { trust, keyText, otherKey, read, write } = await workshop()
    const old = { key: keyText, until: '2016-12-31T23:59:60Z' }
    await write('trust.json', JSON.stringify({ signers: [{ name: 'gateway-1', keys: [old] }] }))
    await alvarium(['trust', 'rotate', 'gateway-1', '-t', trust, '-k', otherKey])
    expect((await read()).signers[0].keys[0]).toEqual(old)
  })

  it.each([
    [
      'a JSON Web Key Set',
      (jwk: object) => JSON.stringify({ keys: [jwk] }),
      'a JSON Web Key Set: edit it with its own tools',
    ],
    ['text that is not UTF-8', () => Buffer.from('signers: [] # caf\xe9\n', 'latin1'), 'in UTF-8'],
    ['text in UTF-16', () => Buffer.from('\ufeffsigners: []\n', 'utf16le'), 'UTF-16: save it as UTF-8'],
    ['an empty file', () => '', 'got an empty text'],
  ])('refuse to edit a policy that is %s, with the reason', async (_, contents, message) => {
    const { keyText, otherKey, write, at } = await workshop()
    const x = Buffer.from(keyText, 'hex').toString('base64url')
    const given = contents({ kty: 'OKP', crv: 'Ed25519', kid: 'a', x })
    const path = await write('other.json', given)
    const before = await readFile(path)
    for (const edit of [
      ['add', 'b', '-k', otherKey],
      ['rotate', 'a', '-k', otherKey],
      ['revoke', 'a'],
    ]) {
      const { code, err } = await alvarium(['trust', ...edit, '-t', path])
      expect([code, err]).toEqual([2, expect.stringContaining(message)])
    }
    expect(await readFile(at('other.json'))).toEqual(before)
  })

  it('refuse to edit a signer with a YAML anchor, because other signers would change as well', async () => {
    const { keyText, other, write } = await workshop()
    const lines = [
      'signers:',
      '  - &all',
      '    name: a',
      `    keys: [${keyText}]`,
      '    hosts: [x]',
      '  - <<: *all',
      '    name: b',
      `    keys: [${toHex(other.verifyingKey)}]`,
      '',
    ]
    const path = await write('trust.yaml', lines.join('\n'))
    const { code, err } = await alvarium(['trust', 'revoke', 'a', '-t', path])
    expect([code, err]).toEqual([2, expect.stringContaining('got anchors: edit the file by hand')])
    expect(text(await readFile(path))).toBe(lines.join('\n'))
    expect((await alvarium(['trust', 'revoke', 'b', '-t', path])).code).toBe(0)
  })

  it('write nothing while another process edits the policy, and leave the lock file of that process', async () => {
    const { trust, write, at, read } = await workshop()
    const before = await read()
    await write('trust.json.new', 'theirs')
    const { code, err } = await alvarium(['trust', 'revoke', 'gateway-1', '-t', trust])
    expect([code, err]).toEqual([2, expect.stringContaining('a file that is edited now')])
    expect([await read(), text(await readFile(at('trust.json.new')))]).toEqual([before, 'theirs'])
  })

  it('list only the first few of many signers if a name is unknown', async () => {
    const { write } = await workshop()
    const signers = Array.from({ length: 100 }, (_, at) => ({
      name: `s${at}`,
      keys: [toHex(generateKey().verifyingKey)],
    }))
    const path = await write('many.json', JSON.stringify({ signers }))
    const { err } = await alvarium(['trust', 'revoke', 'nobody', '-t', path])
    expect(err).toContain('one of s0, s1, s2, s3, s4, s5, s6, s7 and 92 more, got nobody')
  })

  it('change nothing if the new policy would be invalid', async () => {
    const { trust, otherKey, read } = await workshop()
    const before = await read()
    const { code, err } = await alvarium([
      'trust',
      'add',
      'b',
      '-t',
      trust,
      '-k',
      otherKey,
      '--until',
      'tomorrow',
    ])
    expect([code, err]).toEqual([2, expect.stringContaining('signers.1.until: expected a time such as')])
    expect(await read()).toEqual(before)
  })
})
