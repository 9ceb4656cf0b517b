import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FLOORS, ROOMS } from '../../js/rooms.mjs'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Folders of js/ that are no floors: the package's build, and its entries and packages. */
const NO_FLOORS = ['packages', 'build', 'release', 'entries']

function foldersOf(path: string) {
  const entries = readdirSync(join(root, path), { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** Returns a page with each path that it names, relative to the root or to a folder in which its commands run. */
function namedIn(page: string): [page: string, path: string][] {
  const paths = [...read(page).matchAll(/[`\s]([\w.-]+\/[\w./-]*)(?=[`\s])/g)].map(([, path = '']) => path)
  return [...new Set(paths)].map((path) => [page, path])
}

describe('among the pages for contributors,', () => {
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
    '%s names %s, and this path exists',
    (page, path) => {
      expect(['.', 'crate', dirname(page)].some((folder) => existsSync(join(root, folder, path)))).toBe(true)
    },
  )
})

describe('the folders of js/ that rooms.mjs lists', () => {
  it('are exactly the folders in js/ and in its subfolders', () => {
    const floors = foldersOf('js').filter((name) => !NO_FLOORS.includes(name))
    expect(floors).toEqual(Object.keys(FLOORS).sort())
    for (const [floor, rooms] of Object.entries(FLOORS).filter(
      ([, rooms]) => Object.keys(rooms).length > 0,
    )) {
      expect(foldersOf(`js/${floor}`)).toEqual(Object.keys(rooms).sort())
    }
  })

  it('depend only on folders that are listed before them', () => {
    const rooms = Object.keys(ROOMS)
    for (const [room, below] of Object.entries(ROOMS)) {
      const folders = below.flatMap((one) =>
        rooms.filter((name) => name === one || name.startsWith(`${one}/`)),
      )
      expect(folders.length).toBeGreaterThanOrEqual(below.length)
      expect(rooms.slice(0, rooms.indexOf(room))).toEqual(expect.arrayContaining(folders))
    }
  })

  it('have a README.md if they are directly in js/', () => {
    for (const floor of Object.keys(FLOORS))
      expect(existsSync(join(root, 'js', floor, 'README.md'))).toBe(true)
  })

  it('leave at most six files directly in js/', () => {
    const loose = readdirSync(join(root, 'js'), { withFileTypes: true }).filter((entry) => entry.isFile())
    expect(loose.length).toBeLessThanOrEqual(6)
  })
})
