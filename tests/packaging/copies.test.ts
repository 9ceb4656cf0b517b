import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'

const dist = join(inject('packed').folder, 'node_modules/alvarium-sdk/dist')
/** How far back gzip looks, without the header of a file in a tarball and what fills its last block. */
const WINDOW = 32_768 - 1_024
const SCRIPTS = ['script.js', 'algorithms.js', 'yaml.js']
const named = /(?:\bfrom"|\bimport["(]`?)([\w./#:@-]+)["`]/g

/** What dist/browser/platform.js has for pages in another way: it is never asked for by its name. */
const SUPPLIED = ['yaml']

const atOnce = /\b(?:from|import)"(\.[\w./-]+)"/g

/** The files that a file of the package leads to, itself included, by their paths. */
function ledTo(first: string, by = named): Set<string> {
  const found = new Set([first])
  for (const path of found) {
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(by)) {
      if (SUPPLIED.includes(specifier)) continue
      // Not `#platform` and its like either: Parcel, which begins here, finds no such names unless told to.
      expect(specifier, path).toMatch(/^\.\.?\//)
      found.add(join(path, '..', specifier))
    }
  }
  return found
}

describe('what is in the package more than once', () => {
  it('is near enough to itself in the tarball for gzip to find it', () => {
    const names = readdirSync(join(dist, 'cjs')).filter((name) => /\.cjs$/.test(name))
    const long = names.filter((name) => statSync(join(dist, 'cjs', name)).size > WINDOW)
    // The schemas are there once; the other is one file where there could be three, as every process reads it.
    expect(long.sort()).toEqual(['schemas.cjs', 'shared-verifying.cjs'])
  })

  it.each(['esm/default.js', 'browser/default.js'])('%s leaves MQTT and subscriptions for later', (name) => {
    const read = [...ledTo(join(dist, name), atOnce)]
    expect(read.filter((path) => /shared-(mqtt|received)/.test(path))).toEqual([])
    expect(read.length).toBeGreaterThan(5)
  })

  it('is loaded once by a page, from files beside it alone', () => {
    const pages = readdirSync(join(dist, 'browser')).filter((name) => !/^shared-/.test(name))
    for (const page of pages.filter((name) => !SCRIPTS.includes(name))) {
      const loaded = [...ledTo(join(dist, 'browser', page))]
      const names = loaded.map((path) => basename(path))
      expect(
        loaded.filter((path) => !statSync(path).isFile()),
        page,
      ).toEqual([])
      expect(names.length - new Set(names).size, page).toBe(0)
    }
  })
})

it('alvarium --help reads no more than the command itself and what checks options', () => {
  const read = [...ledTo(join(dist, 'esm/alvarium.js'), atOnce)].map((path) => basename(path))
  const own = ['alvarium.js', 'commander.js', 'shared-help.js']
  expect(read.filter((name) => !name.startsWith('shared-verifying')).sort()).toEqual(own)
})
