import { generateKey, pki, signBytes, toHex } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { opened } from '../support/sdk.js'

const signed = (seed: string, signature: Uint8Array) =>
  utf8(JSON.stringify({ seed, signature: toHex(signature) }))

describe.each(['P-256', 'secp256k1', 'SM2'] as const)('the pki annotator with a key of %s', (algorithm) => {
  const opening = async () => {
    const { signingKey, verifyingKey } = await generateKey({ algorithm })
    const { sdk } = await opened([pki({ verifyingKey })])
    const failed = vi.fn()
    sdk.addEventListener('annotatorerror', failed)
    const answer = async (payload: Uint8Array) =>
      (await sdk.create(payload)).bundle.annotations.map(({ kind, isSatisfied }) => [kind, isSatisfied])
    return { sdk, answer, failed, sign: (text: string) => signBytes(signingKey, utf8(text)) }
  }

  it('is satisfied by a seed that the key has signed', async () => {
    const { answer, sign } = await opening()
    for (const seed of ['reading 7', '', 'Grüße 🚀'])
      expect(await answer(signed(seed, sign(seed)))).toEqual([['pki', true]])
  })

  it('checks the payload as it was at the time of the call, even if the caller overwrites it afterwards', async () => {
    const { sdk, sign } = await opening()
    const payload = signed('reading 7', sign('reading 7'))
    const calls = [sdk.create(payload)]
    payload.reverse()
    calls.push(sdk.create(payload))
    payload.reverse()
    const answers = (await Promise.all(calls)).map(({ bundle }) => bundle.annotations[0]?.isSatisfied)
    expect(answers).toEqual([true, false])
  })

  it('is not satisfied by a payload that the key has not signed, and reports no failure', async () => {
    const { answer, sign, failed } = await opening()
    const other = await opening()
    const payloads = [
      signed('reading 8', sign('reading 7')),
      signed('reading 7', other.sign('reading 7')),
      signed('reading 7', sign('reading 7').subarray(1)),
      signed('reading 7', new Uint8Array()),
      utf8('{"seed":"reading 7"}'),
      utf8('reading 7'),
    ]
    for (const payload of payloads) expect(await answer(payload)).toEqual([['pki', false]])
    expect(failed).not.toHaveBeenCalled()
  })
})
