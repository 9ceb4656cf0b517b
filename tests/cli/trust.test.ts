import { chmod, readdir, readFile, stat } from 'node:fs/promises'
import { generateKey, toHex } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { alvarium } from './command.js'
import { signer, text } from './messages.js'

/** A signer with a policy about it, and how to ask the command. */
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
  it('verifies by a policy, and shows who signed and by which time that was judged', async () => {
    const { trust, message } = await workshop()
    const { code, out } = await alvarium(['verify', message, '--trust', trust])
    expect([code, out]).toEqual([0, expect.stringMatching(/signer +gateway-1, key [\da-f]{32}\n/)])
    expect(out).toContain("judged by    the signer's own time")
    const json = await alvarium(['verify', message, '--json', '-t', trust])
    expect(JSON.parse(json.out).bundles[0].signedBy).toMatchObject({ name: 'gateway-1', time: 'signed' })
  })

  it('refuses what is not allowed, in verify and in score', async () => {
    const { trust, message } = await workshop({ kinds: ['tls'] })
    for (const command of ['verify', 'score']) {
      const { code, out, err } = await alvarium([command, message, '--trust', trust])
      expect([code, out + err]).toEqual([1, expect.stringContaining('SIGNER_NOT_ALLOWED')])
    }
  })

  it('stands in the place of --key, and names what is wrong with the policy', async () => {
    const { trust, message, key, write } = await workshop()
    const both = await alvarium(['verify', message, '--trust', trust, ...key])
    expect([both.code, both.err]).toEqual([
      2,
      expect.stringContaining('expected nothing beside --key, got both'),
    ])
    const bad = await write('bad.json', '{"signers": [{"name": "a", "keys": ["x"]}]}')
    const { code, err } = await alvarium(['verify', message, '--trust', bad])
    expect([code, err]).toEqual([2, expect.stringContaining('signers.0.keys.0: expected a public key')])
  })
})

describe('alvarium trust check', () => {
  it('lists whom a policy trusts', async () => {
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

  it('lists all mistakes, and says when there is no file', async () => {
    const { write } = await workshop()
    const bad = await write('bad.yaml', 'signers:\n  - name: a\n    keys: []\n    host: [x]\n')
    const { code, out } = await alvarium(['trust', 'check', bad])
    expect([code, out.split('\n').slice(1)]).toEqual([
      1,
      [
        '    signers.0.keys: expected at least one public key, got an Array',
        '    signers.0.host: expected an option that exists (hosts?), got an Array',
        '',
      ],
    ])
    expect((await alvarium(['trust', 'check', `${bad}.none`])).code).toBe(2)
  })
})

describe('alvarium trust explain', () => {
  it('says by which entry each field is allowed, and which is not', async () => {
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

  it('judges by the time of receipt that it is given', async () => {
    const { trust, message } = await workshop({ revoked: { since: '2026-01-01T00:00:00Z', why: 'stolen' } })
    const explain = ['trust', 'explain', message, '-t', trust]
    expect((await alvarium(explain)).code).toBe(1)
    const { code, out } = await alvarium([...explain, '--received-at', '2025-12-31T00:00:00Z'])
    expect([code, out]).toEqual([0, expect.stringMatching(/✓ accepted\n(.*\n)* {2}judged by +when it came/)])
    expect((await alvarium([...explain, '--received-at', 'yesterday'])).code).toBe(2)
  })
})

describe('alvarium trust add, rotate and revoke', () => {
  it('adds a signer, also to a file that is not there yet, and shows the difference', async () => {
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
    ]
    const { code, out } = await alvarium(add)
    expect([code, out]).toEqual([0, expect.stringContaining('+       "name": "line-4",')])
    expect(JSON.parse(text(await readFile(at('new.json'))))).toEqual({
      signers: [{ name: 'line-4', keys: [keyText], hosts: ['line-4-*'], layers: ['app'] }],
    })
    expect((await alvarium(add)).err).toContain('alvarium trust rotate gives it a new public key')
    const twice = await alvarium(['trust', 'add', 'b', '-t', trust, ...key])
    expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('expected a public key of its own')])
    await alvarium(['trust', 'add', 'b', '-t', trust, '-k', otherKey])
    expect((await read()).signers).toHaveLength(2)
    const list = await write('allowed_signers', `a ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\n`)
    expect((await alvarium(['trust', 'add', 'b', '-t', list, '-k', otherKey])).err).toContain(
      'allowed_signers',
    )
  })

  it('gives a signer a new key beside the old one, which ends', async () => {
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
    const soon = Date.now()
    await alvarium(['trust', 'rotate', 'gateway-1', '-t', trust, '-k', otherKey])
    expect(Date.parse((await read()).signers[0].keys[0].until)).toBeGreaterThan(soon)
  })

  it('revokes a signer, or one of its keys', async () => {
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

  it('keeps the comments of YAML, who may read the file, and leaves nothing beside it', async () => {
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

  it('changes nothing where the policy would not work', async () => {
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
