import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOMS } from '../../js/build/rooms.mjs'

const root = join(import.meta.dirname, '../..')
const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const architecture = contributing.split('## Architecture\n')[1]?.split('\n## ')[0] ?? ''

/** Folders of js/ that are no rooms: what builds the package, and the names under which it is had. */
const NO_ROOMS = ['build', 'entries']

describe('the map in CONTRIBUTING.md', () => {
  it('fits on a screen or two', () => {
    expect(architecture.split('\n').length).toBeLessThan(90)
  })

  it.each([...new Set(architecture.match(/(?:js|crate|tests)\/[\w./-]*\w/g))])(
    'names %s, which is there',
    (path) => {
      expect(existsSync(join(root, path))).toBe(true)
    },
  )

  it('shows what each room may import as js/build/rooms.mjs has it', () => {
    const rows = Object.entries(ROOMS).map(
      ([room, below]) => `| \`${room}\` | ${below.map((one) => `\`${one}\``).join(', ') || 'nothing'} |`,
    )
    expect(architecture).toContain(['| room | stands on |', '|---|---|', ...rows].join('\n'))
  })
})

describe('the rooms', () => {
  it('are the folders of js/', () => {
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

  it('leave at most six files loose', () => {
    const loose = readdirSync(join(root, 'js'), { withFileTypes: true }).filter((entry) => entry.isFile())
    expect(loose.length).toBeLessThanOrEqual(6)
  })
})
