import { keyIdOf, loadAlgorithms, signBytes, toHex, verifyBytes } from 'alvarium-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { base64, concat, fromBase64, fromHex, utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { pemOf } from '../support/key-forms.js'
import vectors from '../vectors/openssh.json' with { type: 'json' }

beforeAll(() => loadAlgorithms())

const LABEL = 'OPENSSH PRIVATE KEY'
const message = utf8('hello')
const { ed25519, overpadded, p256 } = vectors
const blobOf = (file: string) => fromBase64(file.replace(/-----.*?-----|\s/g, ''))

/** Returns bytes after their length (RFC 4251 §5). */
const field = (...parts: Uint8Array[]) => {
  const bytes = concat(...parts)
  return concat(new Uint8Array(new Uint32Array([bytes.length]).buffer).reverse(), bytes)
}
const text = (value: string) => field(utf8(value))
const ed25519Line = (key: string, kind = 'ssh-ed25519') => base64(concat(text(kind), field(fromHex(key))))
const p256Line = (point: string, curve = 'nistp256') =>
  base64(concat(text('ecdsa-sha2-nistp256'), text(curve), field(fromHex(point))))

describe('a private key file of ssh-keygen', () => {
  it('makes the same signature as the seed in it', () => {
    const expected = toHex(signBytes({ seed: ed25519.seed }, message))
    for (const form of [ed25519.file, utf8(ed25519.file), ed25519.file.replaceAll('\n', '\r\n')]) {
      expect(toHex(signBytes(form, message))).toBe(expected)
    }
  })

  it('may have the padding of PuTTYgen, or none', () => {
    for (const { file, key } of [
      { file: overpadded.file, key: overpadded.publicKey },
      { file: p256.file, key: { algorithm: 'P-256' as const, point: p256.point } },
    ]) {
      expect(verifyBytes(key, message, signBytes(file, message))).toBe(true)
    }
  })

  it('is refused in a keyring', async () => {
    expect(await failure(() => keyIdOf(ed25519.file))).toMatchObject({
      code: 'KEY_INVALID',
      message: expect.stringContaining(LABEL),
    })
  })

  // claim: keys-3
  it('is refused if it has a passphrase, with a hint how to remove the passphrase', async () => {
    const locked = concat(
      utf8('openssh-key-v1\0'),
      text('aes256-ctr'),
      text('bcrypt'),
      field(field(new Uint8Array(16)), new Uint8Array(4)),
      Uint8Array.of(0, 0, 0, 1),
      field(new Uint8Array(51)),
      field(new Uint8Array(144)),
    )
    const { code, message } = await failure(() => signBytes(pemOf(LABEL, locked), utf8('')))
    expect(code).toBe('KEY_INVALID')
    expect(message).toContain('without a passphrase')
    expect(message).toContain('ssh-keygen -p -N ""')
  })

  const blob = blobOf(ed25519.file)
  const cut = (length: number) => blob.slice(0, length)
  const turned = (at: number) => {
    const bytes = blob.slice()
    bytes[at] = (bytes[at] as number) ^ 1
    return bytes
  }

  it('is refused if any bit is flipped, except in the comment', async () => {
    const comment = blob.length - 5 - 16
    const taken: number[] = []
    for (let at = 0; at < blob.length; at++) {
      try {
        signBytes(pemOf(LABEL, turned(at)), message)
        taken.push(at)
      } catch (error) {
        expect(error).toMatchObject({ code: 'KEY_INVALID' })
      }
    }
    expect(taken).toEqual(Array.from({ length: 16 }, (_, index) => comment + index))
  })

  it('is refused if it is truncated anywhere or has trailing bytes', async () => {
    for (let length = 0; length < blob.length; length++) {
      expect(await failure(() => signBytes(pemOf(LABEL, cut(length)), message))).toMatchObject({
        code: 'KEY_INVALID',
      })
    }
    const longer = pemOf(LABEL, concat(blob, new Uint8Array(1)))
    expect((await failure(() => signBytes(longer, message))).code).toBe('KEY_INVALID')
  })

  it.each([
    ['several keys', [0, 0, 0, 2], 'several'],
    ['no key', [0, 0, 0, 0], 'several'],
  ])('is refused if the file contains %s', async (_, count, got) => {
    const bytes = blob.slice()
    bytes.set(count, 15 + 8 + 8 + 4)
    expect((await failure(() => signBytes(pemOf(LABEL, bytes), message))).message).toContain(got)
  })

  it('is not shown in an error, not even in part', async () => {
    const bytes = turned(blob.length - 1)
    const { message: said, stack } = await failure(() => signBytes(pemOf(LABEL, bytes), message))
    for (const secret of [ed25519.seed, base64(fromHex(ed25519.seed))]) {
      expect(`${said} ${stack}`).not.toContain(secret.slice(0, 12))
    }
  })
})

describe('a public key line of ssh-keygen', () => {
  const key = `ssh-ed25519 ${ed25519Line(ed25519.publicKey)}`

  it.each([
    ['without a comment', key],
    ['with a comment', `${key} somebody@edge-7 of plant 4, Zürich`],
    ['with a line end', `${key} somebody\r\n`],
    ['with several spaces between fields', `${key.replace(' ', ' \t ')}  somebody`],
    ['between spaces and tabs', `\t${key.replace(' ', '\t')}  `],
  ])('is read %s, as text and as a file', (_, line) => {
    expect(keyIdOf(line)).toBe(keyIdOf(ed25519.publicKey))
    expect(keyIdOf(utf8(line))).toBe(keyIdOf(ed25519.publicKey))
  })

  it('is read if it is of P-256', () => {
    const line = `ecdsa-sha2-nistp256 ${p256Line(p256.point)} edge`
    expect(keyIdOf(line)).toBe(keyIdOf({ algorithm: 'P-256', point: p256.point }))
  })

  it.each([
    ['of RSA', 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ==', 'ssh-rsa'],
    ['of P-384', 'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQ=', 'ecdsa-sha2-nistp384'],
    ['of a security key', 'sk-ssh-ed25519@openssh.com AAAA', 'sk-ssh-ed25519@openssh.com'],
    [
      'whose data name a different type',
      `ssh-ed25519 ${ed25519Line(ed25519.publicKey, 'ssh-ed25518')}`,
      'damaged',
    ],
    [
      'whose data name a different curve',
      `ecdsa-sha2-nistp256 ${p256Line(p256.point, 'nistp384')}`,
      'damaged',
    ],
    ['of 31 bytes', `ssh-ed25519 ${ed25519Line(ed25519.publicKey.slice(2))}`, 'damaged'],
    [
      'with trailing bytes',
      `ssh-ed25519 ${base64(concat(fromBase64(ed25519Line(ed25519.publicKey)), new Uint8Array(3)))}`,
      'damaged',
    ],
    [
      'that is not base64',
      `ssh-ed25519 ${ed25519Line(ed25519.publicKey).replace('A', '*')}`,
      'other characters',
    ],
    ['with only its type', 'ssh-ed25519', 'damaged'],
    ['with a second line', `${key}\n${key}`, 'several lines'],
    ['of small order', `ssh-ed25519 ${ed25519Line('00'.repeat(32))}`, 'small order'],
  ])('is refused: %s', async (_, line, got) => {
    const error = await failure(() => keyIdOf(line))
    expect(error.code).toBe('KEY_INVALID')
    expect(error.message.split(', got ').at(-1)).toContain(got)
  })

  it('is refused as a signing key', async () => {
    const { message: said } = await failure(() => signBytes(key, message))
    expect(said).toBe('signingKey: expected a private key, got a public key of OpenSSH (a .pub file)')
  })
})

it('an invalid OpenSSH key is refused, whatever lengths its fields state', async () => {
  const lengths = [0xffffffff, 0x7fffffff, 65_536]
  for (const length of lengths) {
    const claimed = new Uint8Array(new Uint32Array([length]).buffer).reverse()
    const blob = concat(utf8('openssh-key-v1\0'), claimed, new Uint8Array(64))
    expect((await failure(() => signBytes(pemOf(LABEL, blob), message))).code).toBe('KEY_INVALID')
  }
})
