import { extractBundle, identityBytes, keyOf, toHex } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { caseOf } from '../support/classic.js'
import { alvarium } from './command.js'
import { ofMany, SET, signer, text } from './messages.js'

describe('alvarium inspect', () => {
  // claim: command-9
  it('shows what a message says and what is signed, without a key', async () => {
    const { keyId, sealed } = await signer()
    const { a } = await sealed()
    const { code, out } = await alvarium(['inspect'], { input: a })
    expect(code).toBe(0)
    expect(out).toMatch(/^not verified/)
    expect(out).toContain(`signer      ${keyId}`)
    expect(out).toContain('000000  61 6c 76 61 72 69 75 6d 2e 41 6e 6e 6f 74 61 74  alvarium.Annotat')
  })

  it('gives programs the bytes that are signed', async () => {
    const { sealed } = await signer()
    const { a } = await sealed()
    const { out } = await alvarium(['inspect', '--json', text(a)])
    const [{ bytes, signature }] = JSON.parse(out).signed
    expect([bytes, signature]).toEqual([toHex(identityBytes(a)), JSON.parse(text(a)).content.signature])
  })

  it('shows the way from a bundle to what was signed for its batch', async () => {
    const { sealed } = await signer()
    const { out } = await alvarium(['inspect'], { input: extractBundle((await sealed()).batch, 1) })
    expect(out).toContain('a batch of 3, at 1; 2 hashes lead to its root')
  })

  it('shows each bundle of a batch', async () => {
    const { sealed } = await signer()
    const { out } = await alvarium(['inspect'], { input: (await sealed()).batch })
    expect(out.match(/^ {2}bundle \d/gm)).toHaveLength(3)
  })

  it('shows the first of many inputs, and how many more there are', async () => {
    const { signingKey } = await signer()
    const { a } = await ofMany(signingKey, 7)
    const { out } = await alvarium(['inspect'], { input: a })
    expect(out).toContain(`  made from   all of the set ${SET}\n              ${keyOf(utf8('0'))} (sha256)\n`)
    expect(out).toContain(
      `${keyOf(utf8('3'))} (sha256)\n              … and 3 more inputs (--json has all)\n`,
    )
    expect(out).not.toContain(keyOf(utf8('4')))
    expect(
      JSON.parse((await alvarium(['inspect', '--json'], { input: a })).out).bundles[0].inputs,
    ).toHaveLength(8)
  })

  it('shows what of a classic message is signed', async () => {
    const { message } = caseOf('go', 'create-bytes1000')
    const { out } = await alvarium(['inspect', message])
    expect(out).toContain('as the SDK of go writes it')
    expect(out).toContain('{"id":"')
  })

  it('says of what is no message what is wrong with it', async () => {
    const { code, err } = await alvarium(['inspect', '{"action":"create"}'])
    expect([code, err]).toEqual([2, expect.stringMatching(/^alvarium: .*expected/)])
  })
})
