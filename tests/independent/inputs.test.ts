// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { cbor, identityBytes, keyOf, memory, openSdk, toHex, verifyMessage } from 'alvarium-sdk'
import { proveInput, type VerifiedInput, verifyInput } from 'alvarium-sdk/sets'
import { describe, expect, it } from 'vitest'
import { base64, fromHex, utf8 } from '../support/bytes.js'
import { key } from '../support/sdk.js'
import { goldenInputs } from '../support/vectors.js'
import { assertAgreement } from './agreement.js'
import { type AskedInput, verdictsOf } from './python.js'

const { cases, publicKey } = goldenInputs()
const keyring = [fromHex(publicKey)]

async function ours({ message, payload }: AskedInput, keys: readonly string[]) {
  const given = payload === undefined ? undefined : Buffer.from(payload, 'base64')
  try {
    const proof = Buffer.from(message, 'base64')
    return { input: said(await verifyInput(proof, { keyring: keys.map(fromHex), payload: given })) }
  } catch (error) {
    return { code: (error as { code: string }).code }
  }
}

function said({ bundle: { payloadChecked: _, ...bundle }, ...shown }: VerifiedInput) {
  return { ...shown, bundle }
}

async function agree(asked: readonly AskedInput[], keys: readonly string[]) {
  const python = await verdictsOf(asked, keys)
  const own = await Promise.all(asked.map((one) => ours(one, keys)))
  expect(own).toEqual(python)
  return own.map((verdict) => ('code' in verdict ? verdict.code : 'verified'))
}

describe('a Python implementation written from FORMAT.md alone', () => {
  // claim: format-56
  it('reads the signed content of golden bundles with inputs, in JSON and in CBOR', async () => {
    const asked = cases.flatMap(({ message, payload }) => [
      { message: utf8(message), isCbor: false, payload: fromHex(payload) },
      { message: cbor().encode(utf8(message)), isCbor: true, payload: undefined },
    ])
    expect(await assertAgreement({ cases: asked, keyring })).toEqual({ verified: 2 * cases.length })
  })

  it('verifies the input proofs of golden bundles', async () => {
    const asked = cases.flatMap(({ proofs, payload }) =>
      proofs.map(({ proof }) => ({
        message: base64(utf8(proof)),
        input: true as const,
        payload: base64(fromHex(payload)),
      })),
    )
    expect(new Set(await agree(asked, [publicKey]))).toEqual(new Set(['verified']))
  })

  // claim: threats-3
  it("reads an SDK's bundles with many inputs, and verifies a proof of each input", async () => {
    const stream = memory()
    await using sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream })
    const inputs = Array.from({ length: 13 }, (_, at) => utf8(`reading ${at}`))
    const { message } = await sdk.mutate(inputs, utf8('average'))
    const proofs = await Promise.all(inputs.map((_, at) => proveInput(message, at)))
    const asked = proofs.map((proof) => ({ message: base64(proof), input: true as const }))
    const wrong = proofs.map((proof, at) => {
      const text = Buffer.from(proof)
        .toString()
        .replace(`"index":${at}`, `"index":${(at + 1) % 13}`)
      return { message: base64(utf8(text)), input: true as const }
    })
    const keys = [toHex(key.verifyingKey as Uint8Array)]
    expect(new Set(await agree(asked, keys))).toEqual(new Set(['verified']))
    expect(new Set(await agree(wrong, keys))).toEqual(new Set(['PROOF_INVALID']))
  })
})

describe('golden bundles with inputs', () => {
  it('verify, and have the recorded content and signed bytes', async () => {
    for (const { message, bundle, identity, id, payload } of cases) {
      const verified = await verifyMessage(utf8(message), { keyring, payload: fromHex(payload) })
      expect(verified).toEqual({ ...bundle, id, payloadChecked: true })
      expect(toHex(identityBytes(utf8(message)))).toBe(identity)
    }
  })

  it('contain the same proofs that proveInput makes', async () => {
    for (const { message, proofs } of cases) {
      for (const { index, proof } of proofs) {
        expect(Buffer.from(await proveInput(utf8(message), index)).toString()).toBe(proof)
      }
    }
  })

  it('name an input by the payload key that keyOf returns', () => {
    const { inputs } = cases.find(({ name }) => name === 'one input')?.bundle ?? {}
    expect(inputs).toEqual([{ hash: 'sha256', key: keyOf(utf8('reading 0')) }])
  })
})
