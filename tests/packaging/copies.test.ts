import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { PAGES } from '../../js/build/package/names.mjs'

const dist = join(inject('packed').folder, 'node_modules/alvarium-sdk/dist')
const ANY = /(?:\bfrom ?|\bimport[ (]?)["'`](\.[\w./-]+)["'`]/g
const AT_ONCE = /(?:\bfrom ?|\bimport ?)["'](\.[\w./-]+)["']/g

/** Returns the files that a file of the package imports, directly or not, itself included, by their paths in dist. */
function importedBy(first: string, by: RegExp): string[] {
  const found = new Set([join(dist, first)])
  for (const path of found) {
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(by))
      found.add(join(path, '..', specifier))
  }
  return [...found].map((path) => relative(dist, path))
}

describe('a page without a bundler', () => {
  it.each(PAGES)('loads only files in dist/browser for the entry %s.js', (name) => {
    const files = importedBy(`browser/${name}.js`, ANY)
    expect(files.filter((path) => !path.startsWith('browser/'))).toEqual([])
    for (const path of files) {
      // Pages resolve neither packages nor names with `#`.
      expect(readFileSync(join(dist, path), 'utf8')).not.toMatch(/(?:\bfrom|\bimport\(?)["'][\w#@]/)
    }
  })

  it('loads MQTT and subscriptions lazily', () => {
    const later = readdirSync(join(dist, 'browser')).filter((name) => /^common-/.test(name)).length
    expect(importedBy('browser/default.js', AT_ONCE).length).toBeLessThan(later / 2)
  })
})

it('importing alvarium-sdk in Node loads MQTT and subscriptions lazily', () => {
  const files = importedBy('index.js', AT_ONCE)
  expect(files.filter((path) => /streams\/mqtt\/publisher|subscribe\/verified/.test(path))).toEqual([])
  expect(importedBy('index.js', ANY)).toEqual(
    expect.arrayContaining(['transport/streams/mqtt/publisher.js', 'sdk/subscribe/verified-subscription.js']),
  )
})

it('alvarium --help loads no file of a subcommand', () => {
  const files = importedBy('../../alvarium-command/dist/cli/main.js', AT_ONCE).filter((path) =>
    path.includes('/cli/'),
  )
  expect(files.map((path) => basename(path))).toEqual(['main.js'])
})
