// @node-only: it uses files, Buffers, processes or a stopped clock

import { inspect } from 'node:util'
import { generateKey, toHex } from 'alvarium-sdk'
import { type Policy, readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { failure } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { keyText, messageAt, messageFrom, policyOf, told, trustOf } from '../support/trust.js'
import { countedTurns } from '../support/turns.js'

const jwk = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(key.verifyingKey).toString('base64url'),
}
const blob = Buffer.concat([
  Buffer.from([0, 0, 0, 11]),
  Buffer.from('ssh-ed25519'),
  Buffer.from([0, 0, 0, 32]),
  key.verifyingKey,
])
const ssh = `ssh-ed25519 ${blob.toString('base64')}`
const pem = `-----BEGIN PUBLIC KEY-----\n${Buffer.from([0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0, ...key.verifyingKey]).toString('base64')}\n-----END PUBLIC KEY-----\n`

function loggedLines() {
  const lines: string[] = []
  const nothing = () => {}
  const warn = (_: object, line: string) => lines.push(line)
  return { lines, logger: { debug: nothing, info: nothing, warn, error: nothing } }
}

const faultsOf = async (policy: unknown) => {
  const { code, message } = await failure(() => readTrust(policy as Policy))
  expect(code).toBe('CONFIG_INVALID')
  return message.split('\n')
}

describe('a trust policy', () => {
  it.each([
    ['JSON', JSON.stringify(policyOf())],
    ['JSON over several lines', JSON.stringify(policyOf(), null, 2)],
    ['YAML', `signers:\n  - name: gateway-1\n    keys: [${keyText}]\n`],
    ['YAML with a line of OpenSSH', `signers:\n  - name: gateway-1\n    keys:\n      - ${ssh} me@home\n`],
    ["OpenSSH's allowed_signers", `# who may sign\ngateway-1 ${ssh}\n`],
    ['a JSON Web Key Set', JSON.stringify({ keys: [{ ...jwk, kid: 'gateway-1', use: 'sig' }] })],
  ])('may be text: %s', async (_, text) => {
    const trust = await readTrust(text)
    expect(trust.signers).toEqual(['gateway-1'])
    expect(await told(await messageFrom(), trust)).toBe('gateway-1')
  })

  it.each([
    ['hexadecimal digits', keyText],
    ['PEM', pem],
    ['OpenSSH', ssh],
    ['a JSON Web Key', jwk],
    ['a key with its own end of validity', { key: jwk, until: '2100-01-01T00:00:00Z' }],
  ])('has keys in every usual form: %s', async (_, one) => {
    expect(await told(await messageFrom(), await trustOf({ keys: [one] }))).toBe('gateway-1')
  })

  it('reports fifty of very many unknown options', async () => {
    const names = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`unknown${at}`, at]))
    const fault = (at: number) => `unknown${at}: is not a known option`
    const fifty = Array.from({ length: 50 }, (_, at) => fault(at))
    expect(await faultsOf({ ...policyOf(), ...names })).toEqual(fifty)
    expect(await faultsOf(policyOf(names))).toEqual(fifty.map((one) => `signers.0.${one}`))
  })

  it('may be empty: then no signer is known', async () => {
    expect(await told(await messageFrom(), await readTrust({ signers: [] }))).toBe('SIGNER_UNKNOWN')
  })

  // claim: trust-7
  it('causes one error that names all of its faults, each with its path', async () => {
    const other = toHex(generateKey().verifyingKey)
    const policy = {
      signer: [],
      acceptLateMs: -1,
      signers: [
        { name: 'gateway-1', keys: [keyText], hosts: ['edge-7', 5, 'a\\b'], layer: ['app'] },
        { name: '', keys: [], layers: ['App'], actions: 'create', from: '2026-11-20', revoked: {} },
        { name: 'gateway-3', keys: [keyText.slice(1), { key: other, untill: '2026-11-20T10:00:00Z' }] },
        { name: 'late', keys: [other], from: '2026-11-21T00:00:00Z', until: '2026-11-20T00:00:00Z' },
        null,
      ],
    }
    expect(await faultsOf(policy)).toEqual([
      'acceptLateMs: expected an integer from 0 to 3155760000000, got -1',
      'signer: is not a known option (signers?)',
      'signers.0.hosts.1: expected a string, got 5',
      'signers.0.hosts.2: expected a text with * or \\ after each \\, got "a\\\\b"',
      'signers.0.layer: is not a known option (layers?)',
      'signers.1.name: expected a name, got ""',
      'signers.1.keys: expected at least one public key, got an Array',
      'signers.1.layers.0: expected app, cicd, os or host (app?), got "App"',
      'signers.1.actions: expected an array of actions, got "create"',
      'signers.1.from: expected a time such as 2026-11-20T10:00:00Z, got "2026-11-20"',
      'signers.1.revoked.since: expected a value for this option, got undefined',
      expect.stringContaining(
        'signers.2.keys.0: expected a public key (verifyingKey: expected 64 hexadecimal',
      ),
      'signers.2.keys.1.untill: is not a known option (until?)',
      'signers.3.until: expected a time not before "from", 2026-11-21T00:00:00Z, got "2026-11-20T00:00:00Z"',
      'signers.4: expected an object with options, got null',
    ])
  })

  it.each([
    ['signers', { signers: Array(100_001).fill(null) }, 'signers: expected at most 100000 signers'],
    ['hosts', policyOf({ hosts: Array(1e6).fill('') }), 'signers.0.hosts: expected at most 1000 texts'],
    ['keys', policyOf({ keys: Array(1e6).fill('') }), 'signers.0.keys: expected at most 256 public keys'],
  ])('is refused if it has too many %s', async (_, policy, message) => {
    // Parsing a million of these took several seconds, and then failed with a RangeError.
    expect((await faultsOf(policy))[0]).toContain(message)
  })

  it('needs a different name for each signer, and one signer for each key', async () => {
    const signer = { name: 'gateway-1', keys: [keyText] }
    expect(await faultsOf({ signers: [signer, { ...signer, keys: [jwk] }] })).toEqual([
      'signers.1.name: expected a name that no other signer has, got the name of signers.0',
      'signers.1.keys.0: expected a public key that stands only once, got the key of signers.0.keys.0',
    ])
  })

  it.each([
    [5, 'trust: expected a policy as an object, JSON or YAML, or the path of its file, got a number'],
    ['- a\n', 'signers: expected a value for this option'],
    ['nowhere/trust.json', 'trust: expected the path of a readable file in UTF-8, got: ENOENT'],
    [
      '{"signers":[],"signers":[]}',
      'trust: expected each name once, got "signers" twice, in line 1, column 15',
    ],
    ['{"signers": [\n', 'trust: expected JSON or YAML, got a syntax error in line 2'],
    [
      `signers:\n  - name: gateway-1\n    keys: [${keyText}]\n---\nsigners: []\n`,
      'trust: expected JSON or YAML, got a syntax error in line 4, column 1 (MULTIPLE_DOCS)',
    ],
  ])('is refused if it is given as %j', async (given, message) => {
    expect((await faultsOf(given)).join('\n')).toContain(message)
  })

  it('is treated as a file path if it is one line, and an error does not quote that line', async () => {
    const line = `gateway-1 ${ssh} ${'a'.repeat(5_000)} secret`
    const error = await failure(() => readTrust(line))
    expect(error.message).toBe(
      `trust: expected the path of a readable file in UTF-8, got: ENAMETOOLONG for a path of ${line.length} characters; a text of one line is a path`,
    )
    expect(inspect(error)).not.toContain('secret')
  })

  it.each(['\n', '# nobody yet\n# but soon\n'])(
    'is refused as empty if it contains only line ends and comments: %j',
    async (empty) => {
      expect(await faultsOf(empty)).toEqual(['trust: expected JSON or YAML, got an empty text'])
    },
  )

  it('is refused if its YAML is too long or has too many members', async () => {
    expect(await faultsOf(`${'"'.repeat(5_000_000)}\n`)).toEqual([
      'trust: expected at most 1048576 characters of YAML, or JSON, got 5000001 characters that are not JSON',
    ])
    const names = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 1\n`).join('')
    expect(await faultsOf(names(80_000))).toEqual([
      'trust: expected at most 1000 members in a YAML object, got more',
    ])
    expect(await faultsOf(`{${names(80_000).replaceAll('\n', ', ')}\n}`)).toEqual([
      'trust: expected at most 1000 members in a YAML object, got more',
    ])
    // One member fewer is within the limit.
    expect((await faultsOf(names(1_000))).join('\n')).not.toContain('members')
  })

  it('is refused if its YAML has more than 1,000 aliases, even if each refers to another anchor', async () => {
    const pairs = (count: number) => Array.from({ length: count }, (_, at) => `&a${at} b,*a${at}`).join()
    expect(await faultsOf(`signers: [${pairs(1001)}]\n`)).toEqual([
      'trust: expected at most 1000 YAML aliases, got more',
    ])
    expect((await faultsOf(`signers: [${pairs(1000)}]\n`)).join()).not.toContain('aliases')
  })

  it('is refused before it is parsed if its JSON has too many different names, lists or objects', async () => {
    const names = Array.from({ length: 10_001 }, (_, at) => `"${at}":0`)
    const parse = vi.spyOn(JSON, 'parse')
    expect(await faultsOf(`{${names}}`)).toEqual([
      'trust: expected JSON with at most 10000 different names, got more',
    ])
    expect(await faultsOf(`{"signers":[${'{},'.repeat(40_000)}{}]}`)).toEqual([
      'trust: expected JSON with at most 17501 lists and objects, got more',
    ])
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
    // In YAML, quotation marks within a quoted text are no repeated name.
    expect(await faultsOf(`{ signers: [], maxLeaseMs: 'a "x": a "x": ' }`)).toEqual([
      expect.stringContaining('maxLeaseMs: expected an integer'),
    ])
  })

  it('does not block the event loop while 400,000 lines of its comments are read', async () => {
    const comments = '# nobody yet\n'.repeat(400_000)
    const turns = await countedTurns(1)
    try {
      await readTrust(`${comments}gateway-1 ${ssh}\n`)
      // The text is read twice: to detect its format, and to parse it. The clock is read every 1,000 lines, and a
      // turn ends after 8 readings.
      expect(turns.count).toBeGreaterThan(60)
    } finally {
      turns.end()
    }
  })

  it('given as an object is refused if one of its members is __proto__', async () => {
    const given = JSON.parse('{"signers":[],"__proto__":{"signers":[]}}')
    expect(await faultsOf(given)).toEqual(['__proto__: is not a known option'])
  })

  it('may have thousands of signers in YAML', async () => {
    const keys = Array.from({ length: 4_000 }, () => toHex(crypto.getRandomValues(new Uint8Array(32))))
    const lines = keys.map(
      (key, at) => `  - name: gateway-${at}\n    keys: [${key}]\n    kinds: [src, tls]\n`,
    )
    // Keys that are no points are refused one by one, which shows that the text was parsed.
    expect((await faultsOf(`signers:\n${lines.join('')}`)).join('\n')).toContain('signers.')
  })

  it('is refused if its nesting is deeper than 100 levels, which could crash the process', async () => {
    // More lists for fewer characters would be too many for JSON, too.
    const deep = `{"signers": ${'['.repeat(60_000)}${' '.repeat(900_000)}`
    expect(await faultsOf(deep)).toEqual(['trust: expected at most 100 levels of nesting, got more'])
  })
})

describe("OpenSSH's allowed_signers as a trust policy", () => {
  // claim: trust-11
  it('makes each principal a signer, and each of its lines a key with its own period of validity', async () => {
    const sshOf = (verifyingKey: Uint8Array) => {
      const line = Buffer.from(blob)
      line.set(verifyingKey, 19)
      return line.toString('base64')
    }
    const trust = await readTrust(
      [
        `gateway-1 valid-after="20261120Z",valid-before="202611201200Z" ${ssh} old`,
        `gateway-1 namespaces="file,alvarium" ssh-ed25519 ${sshOf(generateKey().verifyingKey)}`,
        `gateway-2 namespaces="alvarium" ssh-ed25519 ${sshOf(generateKey().verifyingKey)}`,
        `gateway-3 namespaces="file" ssh-ed25519 ${sshOf(generateKey().verifyingKey)}`,
        'somebody namespaces="git" ssh-rsa AAAA',
      ].join('\n'),
    )
    expect(trust.signers).toEqual(['gateway-1', 'gateway-2'])
    expect(await told(await messageAt('2026-11-20T00:00:00Z'), trust)).toBe('gateway-1')
    expect(await told(await messageAt('2026-11-20T12:00:01Z'), trust)).toBe('SIGNER_EXPIRED')
    expect(await told(await messageAt('2026-11-19T23:59:59Z'), trust)).toBe('SIGNER_EXPIRED')
  })

  it('may have times without Z, which are read in the time zone of the machine, as by ssh-keygen', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    onTestFinished(() => void vi.unstubAllEnvs())
    const trust = await readTrust(`gateway-1 valid-before="202611201200" ${ssh}\n`)
    expect(await told(await messageAt('2026-11-20T02:59:59Z'), trust)).toBe('gateway-1')
    expect(await told(await messageAt('2026-11-20T03:00:01Z'), trust)).toBe('SIGNER_EXPIRED')
  })

  it('causes an error that names each invalid line', async () => {
    const lines = [
      `a ${ssh}`,
      `* ${ssh}`,
      `c valid-before="tomorrow" ${ssh}`,
      `d valid-until="20261120Z" ${ssh}`,
      'e',
    ]
    expect(await faultsOf(lines.join('\n'))).toEqual([
      'line 2: expected a principal by name, got the pattern *',
      'line 3: valid-before: expected YYYYMMDD or YYYYMMDDHHMM[SS], and Z for UTC, got tomorrow',
      'line 4: expected one of the options cert-authority, namespaces, valid-after, valid-before, got valid-until',
      'line 5: expected principals, options if there are any, and a key, got another line',
    ])
    expect(await faultsOf(`a ${ssh}\n${'e\n'.repeat(1000)}`)).toHaveLength(50)
    expect((await faultsOf(`a ssh-ed25519 AAAA\n`))[0]).toContain(
      'signers.0.keys.0.key: expected a public key',
    )
  })

  it('may have lines with unusable keys, which are skipped and named', async () => {
    const { lines, logger } = loggedLines()
    const others = ['ssh-rsa', 'sk-ssh-ed25519@openssh.com', 'ecdsa-sha2-nistp384', 'ssh-dss']
    const list = [...others.map((type) => `a,b ${type} AAAA`), `b cert-authority ${ssh}`]
    const trust = await readTrust([...list, `gateway-1 ${ssh}`].join('\n'), { logger })
    expect(trust.signers).toEqual(['gateway-1'])
    expect(await told(await messageFrom(), trust)).toBe('gateway-1')
    expect(trust.skippedKeys).toEqual(
      [...others, 'cert-authority'].map((kind, at) => `line ${at + 1}: ${kind}`),
    )
    const text =
      'skipped 5 keys that cannot be used: line 1: ssh-rsa, line 2: sk-ssh-ed25519@openssh.com, line 3: ecdsa-sha2-nistp384 and 2 more'
    expect(lines).toEqual([`the trust policy: ${text}`])
    await trust.update(policyOf())
    expect([trust.skippedKeys, lines.length]).toEqual([[], 1])
    await trust.update(`a ssh-rsa AAAA\ngateway-1 ${ssh}`)
    expect(lines.at(-1)).toBe('the trust policy: skipped 1 key that cannot be used: line 1: ssh-rsa')
  })

  // claim: trust-56
  it('is refused if none of its keys can be used', async () => {
    expect(await faultsOf('a ssh-rsa AAAA\nb sk-ssh-ed25519@openssh.com AAAA\n')).toEqual([
      'trust: expected a key of ssh-ed25519 or ecdsa-sha2-nistp256, got 2 of other kinds (line 1: ssh-rsa, line 2: sk-ssh-ed25519@openssh.com)',
    ])
  })
})

describe('a hostile line of allowed_signers', () => {
  it.each([
    ['is too long', `"${'a'.repeat(10_000_000)}" ${ssh}`, 'another line'],
    [
      'has very many quotation marks, of which the first is never closed',
      `a "${'\\"'.repeat(30_000)} ${ssh}`,
      'a quotation mark that is never closed in column 3',
    ],
  ])('is refused at once if it %s', async (_, line, got) => {
    expect(await faultsOf(`a ${ssh}\n${line}\n`)).toEqual([
      `line 2: expected principals, options if there are any, and a key, got ${got}`,
    ])
  })

  it.each([
    [`# who may sign\n  gateway-1" ${ssh}\n`, 'line 2', 12],
    [`gateway-1 valid-before="20270101Z ${ssh}\n`, 'line 1', 24],
  ])(
    'causes an error with the line and column of a quotation mark that is never closed: %j',
    async (text, line, column) => {
      expect(await faultsOf(text)).toEqual([
        `${line}: expected principals, options if there are any, and a key, got a quotation mark that is never closed in column ${column}`,
      ])
    },
  )

  it('is ignored in a policy that is JSON', async () => {
    const policy = JSON.stringify({ ...policyOf(), $schema: '"'.repeat(1_000_000) })
    expect((await readTrust(policy)).signers).toEqual(['gateway-1'])
  })
})

describe('an option of allowed_signers that a policy cannot express', () => {
  it.each([
    ['a,b', '', 'expected one principal for each key, got several principals'],
    ['"a,b"', '', 'expected one principal'],
    ['a', 'namespaces="*"', 'expected namespaces by name, got the pattern *'],
    ['a', 'namespaces="!alvarium,git"', 'expected namespaces by name, got the pattern !alvarium,git'],
    ['a', 'namespaces', 'the option namespaces needs a value'],
    ['a', 'namespaces=""', 'the option namespaces needs a value'],
    ['a', 'valid-before', 'the option valid-before needs a value'],
    ['"a', '', 'expected principals, options if there are any, and a key'],
    ['a', 'valid-before="20260230Z"', 'valid-before: expected YYYYMMDD'],
    ['a', 'valid-before="202611202400Z"', 'valid-before: expected YYYYMMDD'],
    ['a', 'valid-before="20260230"', 'valid-before: expected YYYYMMDD'],
    [
      'a',
      'valid-before="20261120Z",valid-before="20270101Z"',
      'expected each option once, got valid-before twice',
    ],
  ])('is refused: %s %s', async (principals, options, message) => {
    const lines = [`first namespaces="git" ${ssh}`, `${principals} ${options} ${ssh}`]
    expect((await faultsOf(lines.join('\n'))).join('\n')).toContain(`line 2: ${message}`)
  })
})

describe('a JSON Web Key Set as a trust policy', () => {
  // claim: trust-12
  it('has signers by kid, and skips keys for other uses (RFC 7517 §5)', async () => {
    const keys = [
      { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'rsa' },
      { ...jwk, kid: 'box', use: 'enc' },
      { ...jwk, kid: 'sign', key_ops: ['sign'] },
      { ...jwk, kid: 'agree', alg: 'ECDH-ES+A256KW' },
      { ...jwk, kid: 'pss', alg: 'PS256' },
      jwk,
    ]
    const trust = await readTrust(JSON.stringify({ keys }))
    expect(trust.signers).toEqual([key.keyId])
    expect(trust.skippedKeys).toEqual([
      'keys.0: RSA',
      'keys.1: OKP Ed25519 enc',
      'keys.2: OKP Ed25519',
      'keys.3: OKP Ed25519 ECDH-ES+A256KW',
      'keys.4: OKP Ed25519 PS256',
    ])
    expect(await faultsOf({ keys: [{ ...jwk, d: jwk.x }] })).toEqual([
      'keys.0: verifyingKey: expected a public key, got a private key (a JWK with d)',
    ])
    expect(await faultsOf({ keys: keys.slice(0, 4) })).toEqual([
      'trust: expected a JSON Web Key Set with a signature key (kty OKP with crv Ed25519, or kty EC), got 4 other keys (keys.0: RSA, keys.1: OKP Ed25519 enc, keys.2: OKP Ed25519 and 1 more)',
    ])
  })
})
