// @node-only: it uses node:fs, node:path
// @alone

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import loadWabt from 'wabt'

// The module before wasm-bindgen removes the functions' names.
const COMPILED = '../../crate/target/alvarium-core/wasm32-unknown-unknown/release/alvarium_core.wasm'

/**
 * Functions that handle secrets while signing, by the end of their names, and the number of conditional branches
 * allowed. These are the ends of loops with a known count, and bounds that never fail. Read the branches before you
 * allow another.
 */
const SECRET_PATH: readonly [name: RegExp, branches: number][] = [
  [/SigningKey.*8try_sign/, 1], // the nonce is wiped: 32 bytes, eight in each turn
  [/4sign10SigningKey5nonce/, 0],
  [/4sign10SigningKey7respond/, 0],
  [/6digits6Digits3new/, 1],
  [/5table14?.*12times_secret/, 6], // the row of the table, which is public, and the wiping of the digits
  [/5table6select/, 1],
  [/5point14Point.*4plus/, 0],
  [/5point14Point.*7doubled1/, 0],
  [/8multiply.*5times/, 0],
  [/8encoding6encode17/, 0],
  [/6freeze51_.*6freeze/, 6],
  [/6invert6invert/, 4],
  [/6invert12thirty_steps/, 2],
  [/6invert14apply_modulo_p/, 1],
  [/6invert5apply/, 2],
  [/6scalar6Scalar25from_bytes_mod_order_wide/, 1],
  [/Scalar293mul/, 0],
  [/Scalar2914montgomery_mul/, 0],
  [/Scalar293add/, 0],
  [/Scalar293sub/, 0],
  [/Scalar2917conditional_add_l/, 0],
]

const functions = await disassembled()

async function disassembled(): Promise<ReadonlyMap<string, string>> {
  const wabt = await loadWabt()
  const module = wabt.readWasm(readFileSync(join(import.meta.dirname, COMPILED)), { readDebugNames: true })
  module.applyNames()
  const texts = module.toText({ foldExprs: false, inlineExport: false }).split(/\n {2}\(func \$/)
  return new Map(texts.slice(1).map((text) => [text.split(/[ )\n]/)[0] ?? '', text]))
}

/**
 * Returns a function's instructions; an empty string if the compiler has inlined it, because its branches then count in
 * the caller.
 */
function instructions(name: RegExp): string {
  const found = [...functions].filter(([full]) => /ed25519x4|curve25519/.test(full) && name.test(full))
  expect(found.length).toBeLessThanOrEqual(1)
  return found[0]?.[1] ?? ''
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

describe('the WebAssembly code that processes secrets for signatures', () => {
  // claim: security-5
  it.each(SECRET_PATH)(
    'has in %s no branch or select on secret data, except %i known loop ends',
    (name, branches) => {
      const text = instructions(name)
      expect(count(text, /\bselect\b/g)).toBe(0)
      expect(count(text, /\bbr_table\b/g)).toBe(0)
      expect(count(text, /\n\s+if\b/g)).toBe(0)
      expect(count(text, /\bbr_if\b/g)).toBeLessThanOrEqual(branches)
    },
  )

  it('contains at least 16 of the functions that this test examines', () => {
    expect(SECRET_PATH.filter(([name]) => instructions(name) !== '').length).toBeGreaterThanOrEqual(16)
  })

  it('is searched with a pattern that finds more than 5 branches in code for public data', () => {
    const [, text = ''] = [...functions].find(([name]) => /6verify8expected/.test(name)) ?? []
    expect(count(text, /\bbr_if\b/g)).toBeGreaterThan(5)
  })
})
