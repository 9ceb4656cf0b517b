// @node-only: it uses node:fs, node:fs/promises, node:os, node:path, node:util

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { generateKey, keyIdOf, memory, openSdk, readKey, signBytes, toHex } from 'alvarium-sdk'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { base64, base64url, utf8 } from '../support/bytes.js'
import { codeOf, failure, typeError } from '../support/failure.js'
import { privateForms, publicForms } from '../support/key-forms.js'

const { signingKey, verifyingKey, keyId } = generateKey()
const halves = [signingKey.slice(0, 32), verifyingKey] as const
const seeds: [string, string][] = [
  ['digits', toHex(halves[0])],
  ['digits in upper case', toHex(halves[0]).toUpperCase()],
  ['digits and CRLF', `${toHex(halves[0])}\r\n`],
]
const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string'
const privateTexts = (await privateForms(...halves)).filter(isText)
const publicTexts = (await publicForms(...halves)).filter(isText)
const folder = mkdtempSync(join(tmpdir(), 'alvarium-keys-'))
const path = join(folder, 'some.key')
afterAll(() => rmSync(folder, { recursive: true }))

describe('a key file', () => {
  it('is wiped from the buffers into which readKey reads it', async () => {
    writeFileSync(path, signingKey)
    const handle = await open(path)
    const methods = Object.getPrototypeOf(handle) as { read(memory: Uint8Array): Promise<object> }
    await handle.close()
    const read = vi.spyOn(methods, 'read')
    onTestFinished(() => read.mockRestore())
    expect(await readKey(path)).toEqual(signingKey)
    const memories = read.mock.calls.map(([memory]) => memory)
    expect(memories.length).toBeGreaterThan(0)
    expect(memories.every((memory) => memory.every((byte) => byte === 0))).toBe(true)
  })

  it.each(privateTexts)('may contain a private key as %s', async (_, form) => {
    writeFileSync(path, form)
    const signature = signBytes(signingKey, utf8('hello'))
    expect(toHex(signBytes(await readKey(path), utf8('hello')))).toBe(toHex(signature))
  })

  it.each(publicTexts)('may contain a public key as %s', async (_, form) => {
    writeFileSync(path, form)
    expect(keyIdOf(await readKey(path))).toBe(keyId)
  })

  it.each(seeds)('may contain a seed as %s, with the option seed', async (_, form) => {
    writeFileSync(path, form)
    expect(await readKey(path, { seed: true })).toEqual(signingKey)
  })

  // claim: keys-4
  it('with a public key is read by readKey, but refused as a signing key', async () => {
    for (const [, form] of publicTexts) {
      writeFileSync(path, form)
      const bytes = await readKey(path)
      expect(await codeOf(() => signBytes(bytes, utf8('hello')))).toBe('KEY_INVALID')
      expect(await codeOf(() => openSdk({ signingKey: bytes, annotators: [], stream: memory() }))).toBe(
        'KEY_INVALID',
      )
    }
  })

  it.each([
    ['128 digits', toHex(signingKey), '128 bytes or digits'],
    ['no bytes', '', '0 bytes or digits'],
    ['33 bytes', new Uint8Array(33), '33 bytes or digits'],
  ])('with %s is refused with the option seed', async (_, form, got) => {
    writeFileSync(path, form)
    const { code, message } = await failure(() => readKey(path, { seed: true }))
    expect(code).toBe('KEY_INVALID')
    expect(message).toContain(got)
  })

  it.each(['/does/not/exist.key', '/'])(
    'is refused with its path and the cause if it cannot be read: %s',
    async (path) => {
      const error = await failure(() => readKey(path))
      expect(error).toMatchObject({ code: 'KEY_INVALID', cause: expect.any(Error) })
      expect(error.message).toContain(`key file ${path}: expected `)
    },
  )

  it('is named without its folder in the error if its path has the length of a key', async () => {
    const path = '/home/somebody/projects/alvarium/deploy/keys/private.key'
    const { message } = await failure(() => readKey(path))
    expect(message).toBe('key file …/private.key: expected the path of a readable file, got: ENOENT')
  })

  it('is refused by readKey if it is an endless device such as /dev/zero', async () => {
    const { code, message } = await failure(() => readKey('/dev/zero'))
    expect({ code, message }).toMatchObject({
      code: 'KEY_INVALID',
      message: expect.stringContaining('65536'),
    })
  })
})

// claim: security-7
describe('a key that is passed to readKey in place of a path', () => {
  const seed = signingKey.subarray(0, 32)
  const base64Seed = base64(seed)
  const paths: [string, string][] = [
    ...privateTexts.filter(([, text]) => typeof text === 'string'),
    ...seeds.map(([name, text]): [string, string] => [name, text]),
    ['base64', base64Seed],
    ['base64url', base64url(seed)],
    ['base64 with white space around it', ` ${base64Seed}\n`],
    ['hexadecimal in pairs', toHex(seed).replace(/../g, '$&:')],
    ['base64 after a path', `/etc/keys/${base64Seed}`],
    ['bytes as characters, with a zero byte', `${String.fromCharCode(...seed)}\0`],
    ['bytes as characters', String.fromCharCode(...seed)],
  ]
  const fragments = [toHex(seed), base64Seed, base64url(seed)].flatMap((text) => [
    text.slice(4, 16),
    text.slice(20, 32),
  ])

  it.each(paths)('is not shown in the error: %s', async (_, text) => {
    const error = await failure(() => readKey(text))
    expect(error.code).toBe('KEY_INVALID')
    const shown = inspect(error, { depth: 9, showHidden: true }).toLowerCase()
    for (const fragment of [...fragments, text.slice(0, 12)]) {
      if (fragment.trim().length > 8) expect(shown).not.toContain(fragment.toLowerCase())
    }
  })

  it.each([
    ['bytes', signingKey],
    ['a JWK', { kty: 'OKP', crv: 'Ed25519', d: base64url(seed) }],
  ])('is refused with a TypeError that does not show the key: %s', async (_, wrong) => {
    const error = await typeError(() => readKey(wrong as never))
    expect(error.message).toMatch(/^path: expected a string, got an? (Uint8Array|Object)$/)
  })
})

describe('an option of readKey', () => {
  it.each([
    ['is misspelt', { sead: true }, 'readKey.sead: is not a known option (seed?)'],
    ['is not a boolean', { seed: 'yes' }, 'readKey.seed: expected true or false, got a string'],
  ])('is named in the error if it %s', async (_, options, text) => {
    writeFileSync(path, toHex(signingKey))
    const error = await failure(() => readKey(path, options as { seed?: boolean }))
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: text })
  })
})

it('readKey accepts a seed file with a UTF-8 byte order mark, and names UTF-16 in the error', async () => {
  const digits = toHex(halves[0])
  writeFileSync(path, `\uFEFF${digits}\n`)
  expect(await readKey(path, { seed: true })).toEqual(signingKey)
  writeFileSync(path, Buffer.from(`\uFEFF${digits}`, 'utf16le'))
  expect((await failure(() => readKey(path, { seed: true }))).message).toContain('UTF-16: save it as UTF-8')
})
