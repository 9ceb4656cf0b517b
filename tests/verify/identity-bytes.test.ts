import {
  AlvariumError,
  extractBundle,
  identityBytes,
  memory,
  openSdk,
  source,
  verifyBytes,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { fromHex, utf8 } from '../support/bytes.js'
import { key } from '../support/sdk.js'
import { golden } from '../support/vectors.js'

function signatureIn(message: Uint8Array): Uint8Array {
  return fromHex(JSON.parse(new TextDecoder().decode(message)).content.signature)
}

describe('identityBytes', () => {
  it.each(golden().cases)('returns the signed bytes: $name', ({ message, identity }) => {
    expect(identityBytes(utf8(message))).toEqual(fromHex(identity))
  })

  it('returns bytes over which the signature verifies, for a batch and for an extracted bundle', async () => {
    await using sdk = await openSdk({
      signingKey: key.signingKey,
      annotators: [source()],
      stream: memory(),
    })
    const [, second] = await sdk.createMany([utf8('a'), utf8('b'), utf8('c')])
    if (!second) throw new Error('expected three receipts')
    const identity = identityBytes(second.message)
    expect(verifyBytes(key.verifyingKey, identity, signatureIn(second.message))).toBe(true)
    expect(identityBytes(extractBundle(second.message, second.index))).toEqual(identity)
  })

  it('returns different bytes after a change of any field', () => {
    const [first] = golden().cases
    if (!first) throw new Error('expected a vector')
    const altered = first.message.replace('"app"', '"host"')
    expect(altered).not.toBe(first.message)
    expect(identityBytes(utf8(altered))).not.toEqual(fromHex(first.identity))
  })

  it('refuses an invalid message', () => {
    expect(() => identityBytes(utf8('{}'))).toThrow(AlvariumError)
    expect(() => identityBytes('{}' as never)).toThrow(TypeError)
  })
})
