import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { pythonWithCryptography } from '../running/python.mjs'
import { fromHex } from '../support/bytes.js'
import { golden } from '../support/vectors.js'

const folder = mkdtempSync(join(tmpdir(), 'first-program-'))
const at = (name: string) => join(folder, name)
const { publicKey, cases } = golden()
const OTHER_KEY = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c'
const HOLDS = 'holds: the owner of the key said this about the payload'

let python: string

/** Returns the line that the program prints. */
function verdictOf(message: string, payload: Uint8Array, key = publicKey): string {
  writeFileSync(at('message.json'), message)
  writeFileSync(at('public.key'), key)
  writeFileSync(at('payload'), payload)
  const files = ['message.json', 'public.key', 'payload'].map(at)
  return execFileSync(python, [at('verify.py'), ...files], { encoding: 'utf8' }).trim()
}

describe('the program at the beginning of FORMAT.md', () => {
  const [first] = cases
  const payload = fromHex(first?.payload ?? '')

  beforeAll(() => {
    const page = readFileSync(join(import.meta.dirname, '../../crate/FORMAT.md'), 'utf8')
    writeFileSync(at('verify.py'), /```python\n(.*?)```/s.exec(page)?.[1] ?? '')
    python = pythonWithCryptography()
  })

  // claim: format-84
  it('verifies golden bundles with SHA-256, and reports "cannot tell" for other hash algorithms', () => {
    const [sha256, others] = [true, false].map((is) =>
      cases.filter(({ bundle }) => (bundle.hash === 'sha256') === is),
    )
    for (const { message, payload: hex } of sha256 ?? []) expect(verdictOf(message, fromHex(hex))).toBe(HOLDS)
    for (const { message, payload: hex } of others ?? []) {
      expect(verdictOf(message, fromHex(hex))).toMatch(/^cannot tell: needs a program/)
    }
  })

  it.each([
    ['"edge-7"', '"edge-8"'],
    ['"action":"create"', '"action":"transit"'],
    ['"isSatisfied":true', '"isSatisfied":false'],
    ['"tag":"v1"', '"tag":"v2"'],
  ])('does not verify a bundle in which %s was changed to %s', (before, after) => {
    const altered = first?.message.replace(before, after) ?? ''
    expect(altered).not.toBe(first?.message)
    expect(verdictOf(altered, payload)).toMatch(/^does not hold: the signature/)
  })

  it('does not verify a bundle with a payload other than the signed one', () => {
    expect(verdictOf(first?.message ?? '', fromHex('00'))).toBe('does not hold: it is about another payload')
  })

  it('names the missing public key by its key id', () => {
    const line = verdictOf(first?.message ?? '', payload, OTHER_KEY)
    expect(line).toBe('cannot tell: needs the public key of 21fe31dfa154a261626bf854046fd227')
  })
})
