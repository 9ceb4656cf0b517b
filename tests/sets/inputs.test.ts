import { identityBytes, keyOf, memory, openSdk, verifyMessage } from 'alvarium-sdk'
import { proveInput, verifyInput } from 'alvarium-sdk/sets'
import { describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { key, keyring } from '../support/sdk.js'

const [one, other, made] = ['one', 'other', 'made of both'].map(utf8) as [Uint8Array, Uint8Array, Uint8Array]

describe('a proof of an input', () => {
  it('is malformed if its bundle nests too deep to be serialized again', async () => {
    const depth = 100_000
    const [index, input, bundle] = [0, { set: '0'.repeat(64) }, 'here']
    const content = { index, input, path: '', bundle: { [bundle]: bundle } }
    const text = JSON.stringify({ messageType: 'alvarium.InputProof/1', content })
    const deep = text.replace('"here":"here"', `"a":${'['.repeat(depth)}${']'.repeat(depth)}`)
    expect(await codeOf(() => verifyInput(utf8(deep), { keyring }))).toBe('MESSAGE_MALFORMED')
  })

  it.each([
    ['lists and objects', `[${'{},'.repeat(600_000)}1]`],
    ['different names', `{${Array.from({ length: 20_000 }, (_, at) => `"a${at}":1`)}}`],
  ])('is refused before it is parsed if it contains too many %s', async (what, content) => {
    const text = utf8(`{"messageType":"alvarium.InputProof/1","content":${content}}`)
    const parse = vi.spyOn(JSON, 'parse')
    const { message } = await failure(() => verifyInput(text, { keyring }))
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
    expect(message).toMatch(new RegExp(`^proof: expected at most \\d+ ${what}, got more$`))
  })

  it('proves only its own input, for its own payload', async () => {
    const digest = (bytes: Uint8Array) => ({ hash: 'sha256', key: keyOf(bytes) }) as const
    const given = [
      one,
      digest(other),
      { hash: 'md5', key: keyOf(made, 'md5') },
      { set: '9f'.repeat(32) },
    ] as const
    const shown = [digest(one), ...given.slice(1)]
    const strangers = [
      other,
      digest(made),
      { hash: 'none', key: keyOf(one) },
      { set: '8f'.repeat(32) },
    ] as const
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream: memory() })
    const { message, id } = await sdk.mutate(given, made)
    for (const [index, input] of given.entries()) {
      const proof = await proveInput(message, index)
      const verified = await verifyInput(proof, { keyring, input, payload: made })
      expect(verified).toMatchObject({
        input: shown[index],
        index,
        size: 4,
        bundle: { id, payloadChecked: true },
      })
      expect((await verifyInput(proof, { keyring })).bundle.payloadChecked).toBe(false)
      for (const expected of [...given.toSpliced(index, 1), ...strangers]) {
        const isIt = index === 1 && expected === other
        const verdict = verifyInput(proof, { keyring, input: expected }).then(
          () => 'verified',
          ({ code }) => code,
        )
        expect([index, expected, await verdict]).toEqual([
          index,
          expected,
          isIt ? 'verified' : 'PROOF_INVALID',
        ])
      }
      expect(await codeOf(() => verifyInput(proof, { keyring, payload: one }))).toBe('PAYLOAD_MISMATCH')
    }
    expect(await codeOf(() => proveInput(message, 4))).toBe('MESSAGE_MALFORMED')
  })

  // claim: threats-2, format-57
  it('contains the bundle in a short form, which all functions for messages refuse as malformed', async () => {
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream: memory() })
    const { message } = await sdk.mutate([one, other], made)
    const proof = JSON.parse(textOf(await proveInput(message, 0)))
    const short = utf8(JSON.stringify(proof.content.bundle))
    const uses = [
      () => identityBytes(short),
      () => proveInput(short, 0),
      () => verifyMessage(short, { keyring }),
    ]
    for (const use of uses) expect(await codeOf(use)).toBe('MESSAGE_MALFORMED')
    await expect(proveInput(short, 0)).rejects.toThrow('inputs: expected an array, got an object')
  })
})
