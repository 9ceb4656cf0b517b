import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOMS } from '../../js/rooms.mjs'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Folders of js/ that are no rooms: the package's build, and its entries and packages. */
const NO_ROOMS = ['packages', 'build', 'release', 'entries']

/** Returns a page with each path that it names, relative to the root or to a folder in which its commands run. */
function namedIn(page: string): [page: string, path: string][] {
  const paths = [...read(page).matchAll(/[`\s]([\w.-]+\/[\w./-]*)(?=[`\s])/g)].map(([, path = '']) => path)
  return [...new Set(paths)].map((path) => [page, path])
}

describe('pages for contributors', () => {
  it.each(['CONTRIBUTING.md', 'SECURITY.md'])('%s has at most 6,000 bytes', (page) => {
    expect(Buffer.byteLength(read(page))).toBeLessThanOrEqual(6_000)
  })

  it('CONTRIBUTING.md has a glossary of at most 40 words', () => {
    const [, table = ''] = read('CONTRIBUTING.md').split('|---|---|---|\n')
    const words = (table.split('\n\n')[0] ?? '').split('\n')
    expect(words.length).toBeGreaterThan(30)
    expect(words.length).toBeLessThanOrEqual(40)
  })

  it.each(['CONTRIBUTING.md', 'js/README.md', 'crate/README.md', 'tests/README.md'].flatMap(namedIn))(
    '%s names %s, which is a path of the repository',
    (page, path) => {
      expect(['.', 'crate', dirname(page)].some((folder) => existsSync(join(root, folder, path)))).toBe(true)
    },
  )
})

describe('the rooms of js/', () => {
  it('are its folders', () => {
    const folders = readdirSync(join(root, 'js'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    const rooms = folders.map(({ name }) => name).filter((name) => !NO_ROOMS.includes(name))
    expect(rooms.sort()).toEqual(Object.keys(ROOMS).sort())
  })

  it('stand on rooms that are listed before them', () => {
    const rooms = Object.keys(ROOMS)
    for (const [room, below] of Object.entries(ROOMS)) {
      expect(rooms.slice(0, rooms.indexOf(room))).toEqual(expect.arrayContaining(below))
    }
  })

  it('leave at most six files outside of them', () => {
    const loose = readdirSync(join(root, 'js'), { withFileTypes: true }).filter((entry) => entry.isFile())
    expect(loose.length).toBeLessThanOrEqual(6)
  })
})
