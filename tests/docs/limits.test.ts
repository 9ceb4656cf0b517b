import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { limitsPage, ofTheCore } from '../../examples/guide/build/limits.mjs'
import { ROOT } from '../../examples/guide/build/pages.mjs'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

describe('the page of limits and defaults', () => {
  it('is generated from all source files that check a numeric option', () => {
    const named = read('js/entries/limits.ts')
    const files = readdirSync(join(ROOT, 'js'), { recursive: true }).map(String)
    const taking = files.filter(
      (file) => /\.ts$/.test(file) && /(?<![.\w]|function )integer\(/.test(read(`js/${file}`)),
    )
    const missing = taking.filter((file) => !named.includes(`'../${file.replace(/\.ts$/, '.js')}'`))
    expect(taking.length).toBeGreaterThan(25)
    expect(missing).toEqual([])
  })

  // claim: limits-1
  it('is the output of node examples/guide/build/limits.mjs', () => {
    expect(read('examples/guide/limits.md')).toBe(limitsPage())
  })

  it('states each limit of the Rust core as a number', () => {
    expect(ofTheCore().filter(([, most]) => !/^[1-9][\d,]*$/.test(most ?? ''))).toEqual([])
  })

  it('states the same limits of the Rust core as FORMAT.md', () => {
    const limits = read('crate/FORMAT.md').split('\n## Limits\n')[1]?.split('\n## ')[0] ?? ''
    expect(ofTheCore().filter(([, most]) => !new RegExp(`\\b${most}\\b`).test(limits))).toEqual([])
  })
})
