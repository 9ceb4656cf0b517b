import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, keyIdOf, readKey, signBytes, toHex } from 'alvarium-sdk'
import { afterAll, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { privateForms, publicForms } from '../support/key-forms.js'

const { signingKey, verifyingKey, keyId } = generateKey()
const halves = [signingKey.slice(0, 32), verifyingKey] as const
const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string'
const privateTexts = (await privateForms(...halves)).filter(isText)
const publicTexts = (await publicForms(...halves)).filter(isText)
const folder = mkdtempSync(join(tmpdir(), 'alvarium-keys-'))
const path = join(folder, 'some.key')
afterAll(() => rmSync(folder, { recursive: true }))

describe('a key file', () => {
  it.each(privateTexts)('holds a private key as %s', async (_, form) => {
    writeFileSync(path, form)
    const signature = signBytes(signingKey, utf8('hello'))
    expect(toHex(signBytes(await readKey(path), utf8('hello')))).toBe(toHex(signature))
  })

  it.each(publicTexts)('holds a public key as %s', async (_, form) => {
    writeFileSync(path, form)
    expect(keyIdOf(await readKey(path))).toBe(keyId)
  })

  it.each([
    ['a key in hexadecimal', toHex(signingKey)],
    ['a seed in upper case', toHex(halves[0]).toUpperCase()],
    ['PEM', privateTexts.find(([name]) => name === 'PKCS#8 PEM')?.[1] ?? ''],
    ['PEM in one line', '-----BEGIN PRIVATE KEY-----MC4CAQAw-----END PRIVATE KEY-----'],
    ['text over two lines', 'some\ntext'],
  ])('whose path is the key itself is refused without saying it: %s', async (_, path) => {
    const { code, message, cause } = await failure(() => readKey(path))
    expect({ code, message, cause }).toEqual({
      code: 'KEY_INVALID',
      message: 'key file: expected the path of a readable file, got: what looks like a key itself',
      cause: undefined,
    })
  })

  it.each(['/does/not/exist.key', '/'])(
    'that cannot be read is refused with its path and cause: %s',
    async (path) => {
      const error = await failure(() => readKey(path))
      expect(error).toMatchObject({ code: 'KEY_INVALID', cause: expect.any(Error) })
      expect(error.message).toContain(`key file ${path}: expected `)
    },
  )
})
