// @browser: tls looks at the page

import { generateKey, pki, type SigningKeyInput, signBytes, source, toHex } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { concat, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'
import { key, opened } from '../support/sdk.js'
import { vectorBytes } from '../support/vectors.js'

const payload = utf8('hello')

describe('the src annotator', () => {
  it('is always satisfied', async () => {
    const { sdk } = await opened([source()])
    expect((await sdk.transit(payload)).bundle.annotations).toMatchObject([
      { kind: 'src', isSatisfied: true },
    ])
  })
})

describe('the pki annotator', () => {
  const answer = async (
    payload: Uint8Array,
    verifyingKey: string | Uint8Array | JsonWebKey = key.verifyingKey,
  ) => {
    const { sdk } = await opened([pki({ verifyingKey })])
    return (await sdk.create(payload)).bundle.annotations[0]?.isSatisfied
  }
  const signable = (seed: string, signingKey: SigningKeyInput = key.signingKey) => {
    return { seed, signature: toHex(signBytes(signingKey, utf8(seed))) }
  }
  const json = (value: unknown) => utf8(JSON.stringify(value))

  describe('with a payload that another SDK signed', () => {
    it.each([
      ['go', 'go-valid.json', true],
      ['python', 'python-valid.json', true],
      ['java', 'java-valid.json', true],
      ['java', 'java-valid-utf8-seed.json', true],
      ['rust', 'rust-valid-utf8-seed.json', true],
      ['go', 'go-seed-altered.json', false],
      ['go', 'go-signature-not-hex.json', false],
      ['java', 'java-signature-altered.json', false],
      ['java', 'java-signature-missing.json', false],
      ['java', 'java-signature-not-hex.json', false],
      ['python', 'python-signature-empty.json', false],
      ['rust', 'rust-signature-wrong.json', false],
      ['java', 'go-valid.json', true],
      ['rust', 'go-valid.json', false],
      ['go', 'rust-valid-utf8-seed.json', false],
    ])('with the key of the %s SDK and the payload file %s, answers "%s"', async (sdk, file, expected) => {
      const verifyingKey = vectorBytes(`keys/${sdk}-public.key`)
      expect(await answer(vectorBytes(`pki/${file}`), verifyingKey)).toBe(expected)
    })
  })

  it('is not satisfied by a payload without a seed and a signature, and does not parse the payload as JSON', () => {
    const { isSatisfied } = pki({ verifyingKey: key.verifyingKey })
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    for (const text of ['21.4', '[1,2,3]', '{"readings":[1,2,3]}', '["a","b","c","d","e"]']) {
      expect(isSatisfied({ action: 'create', payload: utf8(text) })).toBe(false)
    }
    expect(parse).not.toHaveBeenCalled()
  })

  describe('with a payload in the signed format of this SDK', () => {
    it.each(['reading 7', '', 'Grüße, данные, 数据 🚀', '"\\\n\u0000</tag>&'])(
      'is satisfied by a payload with the seed %j',
      async (seed) => {
        expect(await answer(json(signable(seed)))).toBe(true)
      },
    )

    it('is not satisfied by a payload that begins with a byte order mark', async () => {
      const mark = Uint8Array.of(0xef, 0xbb, 0xbf)
      expect(await answer(concat(mark, json(signable('reading 7'))))).toBe(false)
    })

    it('is not satisfied by a seed with half a surrogate pair, which UTF-8 cannot express', async () => {
      const { signature } = signable('\ufffd')
      expect(await answer(utf8(`{"seed":"\\ud800","signature":"${signature}"}`))).toBe(false)
    })

    it('accepts the signature in upper-case hexadecimal', async () => {
      const { seed, signature } = signable('reading 7')
      expect(await answer(json({ seed, signature: signature.toUpperCase() }))).toBe(true)
    })

    // claim: annotators-1
    it('is not satisfied if the payload has an unsigned member or a repeated member', async () => {
      const text = JSON.stringify(signable('a "quoted" seed'))
      expect(await answer(utf8(text))).toBe(true)
      expect(await answer(utf8(text.replace('{', ' {\n')))).toBe(true)
      for (const more of ['"unit":"K",', '"unit":7,', '"seed":"x",', '"seed":7,', '"signature":{},']) {
        expect(await answer(utf8(text.replace('{', `{${more}`)))).toBe(false)
      }
    })

    it('is not satisfied by an altered seed, an altered signature or a wrong key', async () => {
      const { seed, signature } = signable('reading 7')
      const turned = (signature.startsWith('0') ? '1' : '0') + signature.slice(1)
      expect(await answer(json({ seed: 'reading 8', signature }))).toBe(false)
      expect(await answer(json({ seed, signature: turned }))).toBe(false)
      expect(await answer(json({ seed, signature: signature.slice(2) }))).toBe(false)
      expect(await answer(json({ seed, signature: `${signature}00` }))).toBe(false)
      expect(await answer(json({ seed, signature }), generateKey().verifyingKey)).toBe(false)
    })
  })

  it.each([
    ['empty', new Uint8Array()],
    ['not JSON', utf8('seed=1')],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['null', utf8('null')],
    ['an array', utf8('[]')],
    ['a text', utf8('"seed"')],
    ['an empty object', utf8('{}')],
    ['an object whose seed is a number', json({ ...signable('7'), seed: 7 })],
    ['an object whose signature is an array', json({ seed: '7', signature: [1, 2] })],
  ])('is not satisfied by a payload that is %s', async (_, payload) => {
    expect(await answer(payload)).toBe(false)
  })

  it('keeps a copy of its key, which the caller cannot change', async () => {
    const bytes = Uint8Array.from(key.verifyingKey)
    const { sdk } = await opened([pki({ verifyingKey: bytes })])
    bytes.fill(0)
    const { bundle } = await sdk.create(json(signable('reading 7')))
    expect(bundle.annotations).toMatchObject([{ isSatisfied: true }])
  })

  it('accepts its key as hexadecimal text, and refuses an invalid key when the annotator is created', async () => {
    const hex = `${toHex(key.verifyingKey)}\n`
    expect(await answer(json(signable('7')), hex)).toBe(true)
    expect(await codeOf(() => pki({ verifyingKey: `${hex.slice(0, 60)}zzzz` }))).toBe('KEY_INVALID')
  })
})
