import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  AlvariumError,
  type Annotator,
  generateKey,
  memory,
  type OtherAlgorithm,
  openSdk,
  readKey,
  signBytes,
  toHex,
} from 'alvarium-sdk'
import { type FromConfigOptions, fromConfig, readConfig } from 'alvarium-sdk/config'
import { signRequest } from 'alvarium-sdk/http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { DIALECTS, signerOf } from '../support/classic.js'
import { deferred } from '../support/deferred.js'
import { KEYS, SAMPLES, yamlOf } from './samples.js'

const { signingKey, verifyingKey } = generateKey()
const keys = { signingKey, verifyingKey }
const payload = utf8('hello')
const OTHERS = ['P-256', 'secp256k1', 'SM2'] as const
const schema = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('alvarium-sdk/schema.json')), 'utf8'),
)
const isValid = new Ajv2020({ allowUnionTypes: true }).compile(schema)

function throwing(cause: unknown): never {
  throw cause
}

const complaint = async (config: object | string, options: FromConfigOptions = { keys }) => {
  try {
    await fromConfig(config, options)
  } catch (error) {
    if (error instanceof AlvariumError) return `${error.code} ${error.message}`
    throw error
  }
  throw new Error('expected a complaint')
}
/** Returns the config with another value at a path, or without that member. */
function having(path: string, value: unknown): object {
  const config = structuredClone(SAMPLES.go(1883, 'topic'))
  const names = path.split('.')
  const last = names.pop() as string
  const place = names.reduce((at: object, name) => Reflect.get(at, name), config)
  if (value === undefined) Reflect.deleteProperty(place, last)
  else Reflect.set(place, last, value)
  return config
}

describe('a faulty config', () => {
  const wrong: [string, unknown, string][] = [
    ['annotators.1', 'pkii', 'annotators.1: expected src, source, tls, tpm, pki, pki-http, checksum'],
    ['annotators.1', { kind: 'tmp' }, 'annotators.1.kind: expected src, source'],
    ['annotators.1', { kind: 'mock', shouldSatisfi: true }, 'is not a known option (shouldSatisfy?)'],
    [
      'annotators.1',
      { kind: 'mock', shouldSatisfy: 1 },
      'annotators.1.shouldSatisfy: expected true or false, got 1',
    ],
    [
      'annotators.0',
      { kind: 'checksum', hash: 'sha255' },
      'annotators.0.hash: expected sha256 or md5 (sha256?)',
    ],
    [
      'annotators.1',
      { kind: 'pki-http', origin: 'x' },
      'annotators.1.origin: expected a scheme and an authority, such as https://api.example.com, got "x"',
    ],
    [
      'annotators.1',
      { kind: 'pki-http', format: 'rfc9420' },
      'annotators.1.format: expected alvarium or rfc9421 (rfc9421?), got "rfc9420"',
    ],
    [
      'annotators.1',
      { kind: 'pki-http', components: [] },
      'annotators.1.components: expected at least one name, got an Array',
    ],
    [
      'annotators.1',
      { kind: 'vulnerability', paths: { queryBatch: 'v1/querybatch' } },
      'annotators.1.paths.queryBatch: expected a path that begins with /, got "v1/querybatch"',
    ],
    [
      'annotators.1',
      { kind: 'sbom', version: 'SPDX-9' },
      'annotators.1.version: expected SPDX-2.2, SPDX-2.3, 1.4, 1.5 or 1.6, got "SPDX-9"',
    ],
    ['annotators', 'tpm', 'annotators: expected an array of kinds, or of objects with a kind, got "tpm"'],
    ['layer', 'apps', 'layer: expected app, cicd, os or host (app?), got "apps"'],
    ['hash.type', 'sha265', 'hash.type: expected sha256, md5 or none (sha256?), got "sha265"'],
    ['hsah', { type: 'md5' }, 'hsah: is not a known option (hash?)'],
    [
      'signature.private.type',
      'none',
      'signature.private.type: expected ed25519, P-256, secp256k1 or SM2, got "none"',
    ],
    [
      'signature.public.type',
      'ed2519',
      'signature.public.type: expected ed25519, P-256, secp256k1 or SM2 (ed25519?)',
    ],
    [
      'signature.private.type',
      'ecdsa-x509',
      "SM2; the Go SDK's signatures of this type cannot be verified: for bundles, name the curve of the private key, got",
    ],
    ['signature.private.path', '', 'signature.private.path: expected the path of a key file, got ""'],
    ['signature.privateKey', { type: 'ed25519', path: 'x' }, 'private or privateKey, not both'],
    ['stream', undefined, 'stream: expected a value for this option, got undefined'],
    ['stream.type', 'mqttt', 'stream.type: expected mqtt, console or mock (mqtt?), got "mqttt"'],
    ['stream.config.topics', [], 'stream.config.topics: expected at least one topic, got an Array'],
    [
      'stream.config.topics.0',
      'a/#',
      'stream.config.topics.0: expected a topic without the wildcards + and #',
    ],
    ['stream.config.qos', 3, 'stream.config.qos: expected 0, 1 or 2, got 3'],
    ['stream.config.clientID', 'x', 'stream.config.clientID: is not a known option (clientId?)'],
    [
      'stream.config.provider.port',
      '1883',
      'stream.config.provider.port: expected an integer from 1 to 65535',
    ],
    [
      'stream.config.provider.host',
      'a/b',
      'stream.config.provider.host: expected the name or address of a host',
    ],
    // The config has a separate member for the port.
    [
      'stream.config.provider.host',
      'broker:1883',
      'stream.config.provider.host: expected the name or address of a host',
    ],
    ['stream.config.provider.protocol', 'ssh', 'tcp, ssl, ws, wss, mqtt, mqtts or tls (ssl?), got "ssh"'],
    ['stream.config.cleanness', 'no', 'stream.config.cleanness: expected true or false, got "no"'],
  ]

  it.each(wrong)(
    'causes an error that names the member and the nearest valid value: %s: %j',
    async (path, value, expected) => {
      const config = having(path, value)
      expect(await complaint(config)).toContain(expected)
      expect(await complaint({ sdk: config, logging: {} })).toContain(
        expected.replace(/^(?=\w+[.:])/, 'sdk.'),
      )
    },
  )

  it.each(['pravega', 'hedera', 'demia'])(
    'causes an error that explains how to use a stream without a client in this package: %s',
    async (type) => {
      expect(await complaint(having('stream', { type, config: {} }))).toMatch(
        new RegExp(
          `^CONFIG_INVALID stream.type: .* bridge it from there, or give streams.${type}\\), got "${type}"$`,
        ),
      )
    },
  )

  // claim: config-5, migrating-6
  it('causes one error that names all of its faults', async () => {
    const config = {
      ...having('stream.config.provider.prot', 1),
      layr: 'app',
      hsah: {},
      annotators: ['x', 'tpm', 'y'],
    }
    const lines = (await complaint(config)).split('\n').map((line) => line.split(':')[0])
    expect(lines.sort()).toEqual([
      'CONFIG_INVALID annotators.0',
      'annotators.2',
      'hsah',
      'layr',
      'stream.config.provider.prot',
    ])
  })

  it('causes an error that names a missing private key together with all other faults', async () => {
    const config = { ...having('hash.type', 'sha265'), signature: {}, annotators: ['pki'] }
    for (const signature of [{}, undefined, null, { public: { type: 'ed25519', path: 'x' } }]) {
      expect((await complaint({ ...config, signature }, {})).split('\n').sort()).toEqual([
        'CONFIG_INVALID hash.type: expected sha256, md5 or none (sha256?), got "sha265"',
        'signature.private: expected the type and path of a private key, or keys.signingKey, got undefined',
      ])
    }
  })

  // claim: threats-68
  it('causes an error that shows no password, even under a misspelt name or in a syntax error', async () => {
    const said = await complaint(having('stream.config.pasword', 'hunter2'))
    expect(said).toContain('stream.config.pasword: is not a known option (password?)')
    expect(await complaint('{ "password": hunter2 }')).not.toContain('hunter2')
    expect(await complaint('password: [hunter2')).not.toContain('hunter2')
  })
})

describe('a member of a config that is null', () => {
  // claim: migrating-7
  it('counts as missing, because Go marshals nil slices as null', async () => {
    for (const path of ['annotators', 'layer', 'hash', 'signature']) {
      expect(isValid(having(path, null))).toBe(true)
      expect(await fromConfig(having(path, null), { keys })).toMatchObject({ layer: 'app', hash: 'sha256' })
    }
    expect((await fromConfig(having('annotators', null), { keys })).annotators).toEqual([])
    expect(await complaint(having('stream.config.topics', null))).toContain(
      'expected an array of topics, got null',
    )
  })

  it('counts as missing, because YAML reads a member without a value as null', async () => {
    const lines = yamlOf(9, 'topic').replace(
      '    qos: 1',
      '    user:\n    password:\n    qos:\n    keepAlive:',
    )
    const config = lines.replace('port: 9', 'port:\n      protocol:').replace('      protocol: "tcp"\n', '')
    const { stream } = await fromConfig(config.replace('  - tpm', '  - kind: checksum\n    hash:'), { keys })
    expect(stream).toHaveProperty('publish')
  })
})

it('fromConfig() reads YAML that begins with a brace, and JSON that has the same name in several objects', async () => {
  const yaml = '{ layer: os, stream: { type: mock } } # all of it'
  expect(await fromConfig(yaml, { keys })).toMatchObject({ layer: 'os' })
  expect(await fromConfig(JSON.stringify(SAMPLES.go(9, 'topic')), { folder: KEYS })).toHaveProperty('stream')
})

describe('a config', () => {
  // claim: threats-65
  it.each<[string, object | string, string]>([
    ['a path in place of a config', 'config.json', 'got a string (a path? use readConfig)'],
    [
      'a syntax error in JSON',
      '{ "hash": [ }',
      'config: expected JSON or YAML, got a syntax error in line 1',
    ],
    ['a syntax error in YAML', 'hash: [', 'config: expected JSON or YAML, got a syntax error in line 1'],
    ['a repeated name', 'layer: app\nlayer: os', 'DUPLICATE_KEY'],
    [
      'a repeated name in a nested object of JSON',
      '{ "a{": "}\\"", "hash": [{\n "type" : "md5", "t\\u0079pe": 1 }] }',
      'config: expected each name once, got "type" twice, in line 2, column 18',
    ],
    ['an empty text', '', 'config: expected JSON or YAML, got an empty text'],
    ['null under sdk', { sdk: null }, 'sdk: expected an object with options, got null'],
    [
      'more than 65,536 characters',
      'x'.repeat(65_537),
      'config: expected a text of at most 65536 characters, got 65537',
    ],
  ])('is refused with an error that names the fault: %s', async (_, config, expected) => {
    expect(await complaint(config)).toContain(expected)
  })

  // claim: threats-67
  it('is refused if its YAML anchors expand to too many values', async () => {
    const lines = [
      'a0: &a0 [x, x]',
      ...Array.from({ length: 40 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`),
    ]
    expect(await complaint(lines.join('\n'))).toContain('anchors that cannot be resolved, or are too many')
  })

  // claim: threats-66
  it('may use a YAML anchor 99 times, and not 100 times', async () => {
    const naming = (times: number) => `hash: &h { a: 1 }\nannotators: [${Array(times).fill('*h').join(', ')}]`
    expect(await complaint(naming(99))).toContain('annotators.0.kind: expected')
    expect(await complaint(naming(100))).toContain('anchors that cannot be resolved, or are too many')
  })

  it.each([
    ['brackets', `annotators: ${'['.repeat(30_000)}`],
    ['objects', `{annotators: ${'{a: '.repeat(10_000)}`],
    ['items on one line', `annotators:\n  ${'- '.repeat(30_000)}a`],
    ['explicit names', `${'? '.repeat(30_000)}a`],
    [
      'lines with increasing indentation',
      Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
    ],
    ['names on one line', `${'a: '.repeat(20_000)}a`],
    ['names in brackets', `[${'a: '.repeat(20_000)}a]`],
    ['invalid names, each on a separate line', `'a'*b :\n`.repeat(8_000)],
  ])('is refused before parsing if its YAML is nested too deeply: %s', async (_, text) => {
    expect(await complaint(text)).toContain('at most 100 levels of nesting, got more')
  })

  it.each([
    ['an unmatched closing bracket', `${']'.repeat(30_000)}${'['.repeat(30_000)}`, 'UNEXPECTED_TOKEN'],
    ['an unclosed bracket', `a: [\n---\n${'- '.repeat(30_000)}a`, 'BAD_INDENT'],
  ])('is parsed only up to its first fault: %s', async (_, text, code) => {
    expect(await complaint(text)).toContain(code)
  })

  it('may nest lists 99 levels deep in YAML, and not 100', async () => {
    const lists = (count: number) => `annotators: ${'['.repeat(count)}${']'.repeat(count)}`
    // The object around the lists is a level too.
    expect(await complaint(lists(99))).toContain('annotators.0: expected')
    expect(await complaint(lists(100))).toContain('at most 100 levels of nesting')
  })

  it('may have long lines and long texts, which do not count as nesting', async () => {
    const long = 'a - b [ ? '.repeat(100)
    const text = `layer: app # ${long}\nhash: ["${long}", '${long}']\ntag: |\n${' '.repeat(300)}${long}\nhost: "${long}"\n`
    expect(await complaint(text)).toContain('hash.type: expected')
  })

  it('is refused with a member __proto__, and changes no prototype', async () => {
    for (const text of ['{"__proto__": {"layer": "os"}}', '__proto__: { layer: os }']) {
      expect(await complaint(text)).toContain('__proto__: is not a known option')
    }
    expect('layer' in {}).toBe(false)
  })

  it('is refused if its JSON is nested too deeply', async () => {
    const nested = (deep: number) => `{"annotators":${'['.repeat(deep)}${']'.repeat(deep)}}`
    expect(await complaint(nested(11_000))).toContain('annotators.0: expected')
    expect(await complaint(nested(30_000))).toContain(
      'config: expected JSON with at most 13750 lists and objects',
    )
  })

  it('is refused if its file is missing', async () => {
    await expect(readConfig('no/such/file.json')).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })

  it('in UTF-16 is refused with an error about the encoding, and in UTF-8 may have a byte order mark', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'alvarium-config-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'config.json')
    await writeFile(path, Buffer.from('\uFEFF{}', 'utf16le'))
    await expect(readConfig(path)).rejects.toThrow('UTF-16: save it as UTF-8')
    await writeFile(path, `\uFEFF${JSON.stringify(SAMPLES.go(1883, 'topic'))}`)
    expect((await readConfig(path, { folder: KEYS })).layer).toBe('app')
  })

  // claim: troubleshooting-2
  it('allows calls to pass inputs for annotators that the config does not name', async () => {
    const { annotators, otherKinds } = await fromConfig(SAMPLES.go(1883, 'topic'), { folder: KEYS })
    const kinds = annotators.map(({ kind }) => kind)
    expect(otherKinds).toEqual(expect.arrayContaining(['tls', 'pki-http', ...kinds]))
  })
})

describe('the keys of a config', () => {
  it.each(DIALECTS)('sign bundles if they are in the key files of the %s SDK', async (dialect) => {
    const { signingKey } = await fromConfig(SAMPLES[dialect](1883, 'topic'), { folder: KEYS })
    const sdk = await openSdk({ signingKey, annotators: [], stream: memory() })
    expect((await sdk.create(payload)).bundle.signer).toBe(signerOf(dialect))
  })

  it('are refused if the private key file contains a public key', async () => {
    for (const other of ['go-public.key', 'java-public.key']) {
      const config = having('signature', {
        private: { type: 'ed25519', path: 'go-public.key' },
        public: { type: 'ed25519', path: other },
      })
      const options = await fromConfig(config, { folder: KEYS })
      await expect(openSdk({ ...options, stream: memory() })).rejects.toMatchObject({ code: 'KEY_INVALID' })
    }
  })

  it('are refused if an Ed25519 key file is given for an algorithm other than Ed25519', async () => {
    const config = having('signature.public.type', 'SM2')
    expect(await complaint(config, { folder: KEYS })).toBe(
      'CONFIG_INVALID signature.public.type: expected ed25519, the algorithm in the key file, got SM2',
    )
  })

  it('may be passed as options instead of files', async () => {
    const options = await fromConfig(having('signature', undefined), { keys })
    const sdk = await openSdk({ ...options, stream: memory() })
    const signed = utf8(JSON.stringify({ seed: '', signature: toHex(new Uint8Array(64)) }))
    expect((await sdk.create(signed)).bundle.annotations.map(({ isSatisfied }) => isSatisfied)).toEqual([
      false,
      false,
    ])
  })

  describe('of algorithms other than Ed25519', () => {
    const filed = async (algorithm: OtherAlgorithm) => {
      const pair = await generateKey({ algorithm })
      const folder = await mkdtemp(join(tmpdir(), 'alvarium-config-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      await writeFile(join(folder, 'private.key'), pair.signingKey)
      await writeFile(join(folder, 'public.key'), pair.verifyingKey)
      const named = (type: string) => ({
        ...having('signature', {
          private: { type, path: 'private.key' },
          public: { type: algorithm, path: 'public.key' },
        }),
        annotators: ['pki'],
        stream: { type: 'mock' },
      })
      return { ...pair, folder, named }
    }

    it.each(OTHERS)('sign bundles, and payloads that pki accepts: %s', async (algorithm) => {
      const { signingKey, keyId, folder, named } = await filed(algorithm)
      const sdk = await openSdk(await fromConfig(named(algorithm), { folder }))
      const seed = 'a seed'
      const signature = toHex(signBytes(signingKey, utf8(seed)))
      const { bundle } = await sdk.create(utf8(JSON.stringify({ seed, signature })))
      expect(bundle).toMatchObject({ signer: keyId, annotations: [{ kind: 'pki', isSatisfied: true }] })
    })

    it.each(OTHERS)(
      'are refused if the config names an algorithm other than that of the key file: %s',
      async (algorithm) => {
        const { folder, named } = await filed(algorithm)
        for (const other of ['ed25519', ...OTHERS].filter((name) => name !== algorithm)) {
          expect(await complaint(named(other), { folder })).toBe(
            `CONFIG_INVALID signature.private.type: expected ${algorithm}, the algorithm in the key file, got ${other}`,
          )
        }
      },
    )

    it('are wiped if the config names an algorithm other than that of the private key', async () => {
      const { signingKey, folder, named } = await filed('P-256')
      const wiped: Uint8Array[] = []
      const { fill } = Uint8Array.prototype
      vi.spyOn(Uint8Array.prototype, 'fill').mockImplementation(function (this: Uint8Array, value, ...range) {
        if (value === 0) wiped.push(this.slice())
        return fill.call(this, value, ...range)
      })
      onTestFinished(() => void vi.restoreAllMocks())
      expect(await complaint(named('SM2'), { folder })).toContain('signature.private.type')
      expect(wiped.some((bytes) => toHex(bytes) === toHex(signingKey))).toBe(true)
    })

    it.each(['ed25519', ...OTHERS])(
      'are refused as public keys if the config names a wrong algorithm: %s',
      async (type) => {
        const algorithm = type === 'P-256' ? 'SM2' : 'P-256'
        const { folder } = await filed(algorithm)
        const config = having('signature.public', { type, path: join(folder, 'public.key') })
        expect(await complaint(config, { folder: KEYS })).toBe(
          `CONFIG_INVALID signature.public.type: expected ${algorithm}, the algorithm in the key file, got ${type}`,
        )
      },
    )

    it.each(DIALECTS)('are refused with the message format of the %s SDK', async (dialect) => {
      const { folder, named } = await filed('P-256')
      expect(await complaint(named('P-256'), { folder, dialect })).toMatch(
        /^KEY_INVALID signingKey: .*Ed25519/,
      )
    })
  })

  // claim: migrating-5
  it('may lack the public key if no annotator verifies with it', async () => {
    const config = having('signature.public.path', './nowhere.key')
    const [options, withPki] = [{ folder: KEYS }, { ...config, annotators: ['pki'] }]
    expect(await fromConfig({ ...config, annotators: ['src'] }, options)).toHaveProperty('signingKey')
    expect(await complaint(withPki, options)).toMatch(/^KEY_INVALID .*nowhere\.key.*ENOENT/)
    const short = { type: 'ed25519', path: './rust-private.key' }
    const rust = { ...Reflect.get(config, 'signature'), private: short }
    expect(await complaint({ ...config, annotators: [], signature: rust }, options)).toMatch(
      /^KEY_INVALID .*ENOENT/,
    )
  })

  it('may be a pair from generateKey()', async () => {
    const options = await fromConfig(having('stream', { type: 'mock' }), { keys: generateKey() })
    expect(options.annotators).toHaveLength(2)
  })

  it('are refused under an unknown name with an error that suggests the intended name', async () => {
    const slip = { keys: { ...keys, request: {} } } as FromConfigOptions
    expect(await complaint(having('stream', { type: 'mock' }), slip)).toBe(
      'CONFIG_INVALID keys.request: is not a known option (requests?)',
    )
  })

  it('are named in an error if they are missing', async () => {
    expect(await complaint(having('signature', undefined), {})).toBe(
      'CONFIG_INVALID signature.private: expected the type and path of a private key, or keys.signingKey, got undefined',
    )
    expect(await complaint(having('signature', undefined), { keys: { signingKey } })).toBe(
      'CONFIG_INVALID annotators (pki): needs a public key in signature.public or keys.verifyingKey',
    )
  })
})

describe("a config's annotators that get inputs from a call", () => {
  const opened = async (annotators: unknown[]) => {
    const config = { ...having('annotators', annotators), stream: { type: 'mock' } }
    return openSdk(await fromConfig(config, { folder: KEYS }))
  }

  it("include pki-http, which finds the config's public key by the name of the key file", async () => {
    const sdk = await opened(['pki-http'])
    const request = { method: 'POST', url: 'http://example.com/foo', headers: {} }
    const signingKey = await readKey(`${KEYS}/go-private.key`)
    const headers = await signRequest(request, {
      signingKey,
      keyId: 'go-public.key',
      components: ['@method', '@path'],
    })
    const { bundle } = await sdk.create(payload, { 'pki-http': { ...request, headers } })
    expect(bundle.annotations).toMatchObject([{ kind: 'pki-http', isSatisfied: true }])
  })

  it('include pki-http, which finds the public key of a request by its key id in keys.requests', async () => {
    const edge = generateKey()
    const request = { method: 'GET', url: 'https://api.example/readings', headers: {} }
    const signing = { format: 'rfc9421', signingKey: edge.signingKey, body: payload } as const
    const config = having('annotators', [{ kind: 'pki-http', format: 'rfc9421', maxAgeMs: 60_000 }])
    const requests = { 'edge-7': edge.verifyingKey }
    for (const keys of [
      { signingKey, requests },
      { signingKey, verifyingKey, requests },
    ]) {
      const options = await fromConfig({ ...config, stream: { type: 'mock' } }, { folder: KEYS, keys })
      const sdk = await openSdk(options)
      for (const keyId of ['edge-7', 'edge-8']) {
        const headers = await signRequest(request, { ...signing, keyId })
        const { bundle } = await sdk.create(payload, { 'pki-http': { ...request, headers } })
        expect(bundle.annotations).toMatchObject([{ kind: 'pki-http', isSatisfied: keyId === 'edge-7' }])
      }
    }
  })

  it('may have the options of the functions pkiHttp(), vulnerability() and tls()', async () => {
    const annotators = [
      { kind: 'pki-http', format: 'rfc9421', components: ['@method'], clockSkewMs: 0, label: 'a', tag: 'b' },
      {
        kind: 'vulnerability',
        ignore: ['GHSA-1'],
        accept: ['transitive', 'lock-file'],
        timeoutMs: 100,
        cacheMs: 0,
      },
      { kind: 'tls', peerCertificate: 'optional' },
    ]
    expect(isValid(having('annotators', annotators))).toBe(true)
    const sdk = await opened(annotators)
    const tls = { destroyed: false, readyState: 'open', getPeerFinished: () => new Uint8Array(32) }
    const { bundle } = await sdk.create(payload, { tls })
    expect(bundle.annotations.at(-1)).toMatchObject({ kind: 'tls', isSatisfied: true })
  })

  it('are named in an error about an invalid option that only the annotator can check', async () => {
    const config = having('annotators', [{ kind: 'pki-http', format: 'rfc9421', dialect: 'go' }])
    expect(await complaint(config)).toContain('annotators (pki-http): pkiHttp.dialect: ')
  })

  it('include vulnerability, which queries the server that the config names', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.end(JSON.stringify({ results: [{ vulns: [{ id: 'X-1' }] }] }))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const folder = await mkdtemp(join(tmpdir(), 'alvarium-config-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const packages = { 'node_modules/left-pad': { version: '1.0.0' } }
    await writeFile(
      join(folder, 'package-lock.json'),
      JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...packages } }),
    )
    const { port } = server.address() as AddressInfo
    const provider = { host: '127.0.0.1', port, protocol: 'http' }
    const paths = { queryBatch: '/v1/batch', query: '/v1/query' }
    const sdk = await opened([{ kind: 'vulnerability', type: 'osv', provider, paths }])
    const { bundle } = await sdk.create(payload, { vulnerability: folder })
    expect(bundle.annotations).toMatchObject([{ kind: 'vulnerability', isSatisfied: false }])
    expect(asked).toEqual(['POST /v1/batch'])
  })

  it('include sbom, which expects the version that the config names', async () => {
    const vectors = join(import.meta.dirname, '../vectors')
    const looking = { sbomPath: `${vectors}/sbom/npm.spdx.json`, buildPath: `${vectors}/locks/npm` }
    for (const [version, isSatisfied] of [['SPDX-2.3', true] as const, ['SPDX-2.2', false] as const]) {
      const sdk = await opened([{ kind: 'sbom', type: 'spdx', version }])
      const { bundle } = await sdk.create(payload, { sbom: looking })
      expect(bundle.annotations).toMatchObject([{ kind: 'sbom', isSatisfied }])
    }
  })

  it('include checksum and source-code, which use the hash that the config names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'alvarium-config-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [artifactPath, checksumPath] = [join(folder, 'artifact'), join(folder, 'sum')]
    await writeFile(artifactPath, 'hello')
    await writeFile(checksumPath, createHash('md5').update('hello').digest('hex'))
    const config = having('annotators', [
      { kind: 'checksum', checksumPath },
      { kind: 'source-code', links: 'skip' },
    ])
    const md5 = { ...config, hash: { type: 'md5' }, stream: { type: 'mock' } }
    const sdk = await openSdk(await fromConfig(md5, { keys }))
    const { bundle } = await sdk.create(payload, { checksum: { artifactPath } })
    expect(bundle.annotations).toMatchObject([
      { kind: 'checksum', isSatisfied: true },
      { kind: 'source-code', isSatisfied: false },
    ])
  })
})

describe('annotators and streams of the application', () => {
  const inRange: Annotator = {
    kind: 'in-range',
    needs: 'payload',
    isSatisfied: ({ payload, input }) => payload[0] === input,
  }

  it('are selected by name, and their functions receive the config members next to the name', async () => {
    const stream = memory()
    const options = await fromConfig(
      { annotators: ['in-range', { kind: 'above', least: 3 }], stream: { type: 'here', config: { at: 1 } } },
      {
        keys,
        annotators: {
          'in-range': () => inRange,
          above: ({ least }) => ({
            kind: 'above',
            needs: 'payload',
            isSatisfied: ({ payload }) => payload.length > Number(least),
          }),
        },
        streams: { here: (config) => (JSON.stringify(config) === '{"at":1}' ? stream : memory()) },
      },
    )
    const sdk = await openSdk(options)
    const { bundle } = await sdk.create(payload, { 'in-range': payload[0] })
    expect(bundle.annotations.map(({ kind, isSatisfied }) => [kind, isSatisfied])).toEqual([
      ['in-range', true],
      ['above', true],
    ])
    expect(stream.messages).toHaveLength(1)
  })

  it.each([
    ['throw', (cause: unknown) => () => throwing(cause)],
    ['reject', (cause: unknown) => async () => throwing(cause)],
  ])('are named in the error if their functions %s', async (_, failing) => {
    for (const cause of [
      new TypeError('no sensor'),
      new AlvariumError('KEY_INVALID', 'no sensor'),
      'no sensor',
    ]) {
      const config = { annotators: ['in-range'], stream: { type: 'here' } }
      const working = { annotators: { 'in-range': () => inRange }, streams: { here: () => memory() } }
      const error = (options: FromConfigOptions) =>
        fromConfig(config, { keys, ...working, ...options }).catch((thrown) => thrown)
      const expected = { name: 'AlvariumError', code: 'CONFIG_INVALID', cause }
      const text = 'expected no error from your own function that makes it, got: no sensor'
      expect(await error({ annotators: { 'in-range': failing(cause) } })).toMatchObject({
        ...expected,
        message: `annotators (in-range): ${text}`,
      })
      expect(await error({ streams: { here: failing(cause) } })).toMatchObject({
        ...expected,
        message: `stream (here): ${text}`,
      })
    }
  })

  it('take precedence over those of the package with the same name', async () => {
    const stream = memory()
    const options = await fromConfig(having('stream', { type: 'pravega', config: { scope: 's' } }), {
      keys,
      annotators: { tpm: () => ({ kind: 'tpm', isSatisfied: () => true }) },
      streams: { pravega: () => stream },
    })
    const sdk = await openSdk(options)
    const { bundle } = await sdk.create(payload)
    expect(bundle.annotations[0]).toMatchObject({ kind: 'tpm', isSatisfied: true })
    expect(stream.messages).toHaveLength(1)
  })

  it('may be in the lists `basic` and `extended` of a Go config', async () => {
    const options = await fromConfig(having('annotators', { basic: ['src'], extended: ['in-range'] }), {
      keys,
      annotators: { 'in-range': () => inRange },
    })
    expect(options.annotators.map(({ kind }) => kind)).toEqual(['src', 'in-range'])
  })
})

it.each(['::1', '[::1]'])('a config may name the broker by an IPv6 address: %s', async (host) => {
  const config = having('stream.config.provider', { host, protocol: 'tcp', port: 9 })
  const { stream } = await fromConfig(config, { keys })
  await expect(openSdk({ signingKey, annotators: [], stream })).rejects.toThrow(/mqtt:\/\/\[::1\]:9/)
})

/** The first byte of a CONNECT packet, of a TLS handshake, and of an HTTP request. */
const FIRST_BYTES = { MQTT: 0x10, TLS: 0x16, HTTP: 0x47 }

it.each([
  ['tcp', 'MQTT'],
  ['mqtt', 'MQTT'],
  ['ssl', 'TLS'],
  ['tls', 'TLS'],
  ['mqtts', 'TLS'],
  ['wss', 'TLS'],
  ['ws', 'HTTP'],
] as const)('a config with the protocol %s opens the connection with %s', async (protocol, first) => {
  const { promise, resolve } = deferred<Buffer>()
  const server = createSocketServer((socket) => socket.once('data', resolve).on('error', () => {}))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const provider = { host: '127.0.0.1', protocol, port: (server.address() as AddressInfo).port }
  const signal = new AbortController()
  const options = await fromConfig(having('stream.config.provider', provider), { keys })
  const opening = openSdk({ ...options, signal: signal.signal })
  expect((await promise)[0]).toBe(FIRST_BYTES[first])
  signal.abort()
  await opening.catch(() => {})
})

/** Returns the first packet of an SDK with this stream, without the two bytes of its fixed header. */
async function firstPacket(config: object): Promise<Buffer> {
  const { promise, resolve } = deferred<Buffer>()
  const server = createSocketServer((socket) => socket.once('data', resolve).on('error', () => {}))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const provider = { host: '127.0.0.1', protocol: 'tcp', port: (server.address() as AddressInfo).port }
  const stream = { type: 'mqtt', config: { topics: ['t'], provider, ...config } }
  const ending = new AbortController()
  const options = await fromConfig(having('stream', stream), { keys })
  const opening = openSdk({ ...options, signal: ending.signal })
  const packet = (await promise).subarray(2)
  ending.abort()
  await opening.catch(() => {})
  return packet
}

/** Reads a CONNECT: MQTT 5, 3.1. */
function readConnect(packet: Buffer) {
  const [flags, keepAlive] = [packet.readUInt8(7), packet.readUInt16BE(8)]
  let at = 11 + packet.readUInt8(10)
  const text = () => {
    const start = at + 2
    at = start + packet.readUInt16BE(at)
    return packet.toString('utf8', start, at)
  }
  const clientId = text()
  const [user, password] = [0x80, 0x40].map((flag) => ((flags & flag) > 0 ? text() : undefined))
  return { clientId, user, password, keepAlive }
}

it.each([
  ['the user and the password', { clientId: 'edge-7', user: 'ann', password: 'secret', keepAlive: 77 }, {}],
  [
    'the user without a password',
    { clientId: 'edge-7', user: 'ann' },
    { password: undefined, keepAlive: 60 },
  ],
  [
    'neither a user nor a password',
    { clientId: 'edge-7' },
    { user: undefined, password: undefined, keepAlive: 60 },
  ],
  [
    'no user and no password if both are empty',
    { clientId: 'edge-7', user: '', password: '', keepAlive: 5 },
    { user: undefined, password: undefined },
  ],
])('the CONNECT packet to a broker has the client id and, from the config, %s', async (_, given, sent) => {
  expect(readConnect(await firstPacket(given))).toEqual({ ...given, ...sent })
})

it('the streams console and mock need no broker', async () => {
  for (const type of ['console', 'mock']) {
    const { stream } = await fromConfig(having('stream', { type, config: { provider: {} } }), { keys })
    expect(Object.keys(stream)).toEqual(['publish'])
  }
})

describe('alvarium-sdk/schema.json', () => {
  it.each(DIALECTS)('accepts the config of the %s SDK', (dialect) => {
    const config = SAMPLES[dialect](1883, 'topic')
    expect(isValid(config)).toBe(true)
    expect('sdk' in config || isValid({ sdk: config, more: 1 })).toBe(true)
  })

  it.each([
    ['annotators.1', 'pkii'],
    ['annotators.1', { kind: 'mock', shouldSatisfy: 1 }],
    ['layer', 'apps'],
    ['hsah', {}],
    ['signature.private.type', 'none'],
    ['stream', undefined],
    ['stream.type', 'pravega'],
    ['stream.config.topics', []],
    ['stream.config.provider.port', 0],
    ['stream.config.provider.host', 'a/b'],
    ['stream.config.qos', 3],
  ])('refuses the member %s with the value %j, as fromConfig does', async (path, value) => {
    expect(isValid(having(path, value))).toBe(false)
    expect(await complaint(having(path, value))).toContain(path.split('.')[0])
  })

  it('may be named in a config as $schema, which editors read', async () => {
    const config = { $schema: 'node_modules/alvarium-sdk/dist/schema.json', ...having('layer', 'os') }
    for (const one of [config, { sdk: config }]) {
      expect(isValid(one)).toBe(true)
      expect(await fromConfig(one, { keys })).toMatchObject({ layer: 'os' })
    }
    expect(await fromConfig({ $schema: 'x', sdk: having('layer', 'os') }, { keys })).toMatchObject({
      layer: 'os',
    })
  })

  it('is exported under its path', () => {
    expect(import.meta.resolve('alvarium-sdk/schema.json')).toMatch(/dist\/schema\.json$/)
  })
})
