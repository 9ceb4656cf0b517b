import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { printed } from './packed.js'

const GUIDE = /^examples\/guide\/\w[\w-]*\.md$/
/** Files that the docs link to, from folders that are not packed. */
const GIVEN = [GUIDE, /^examples\/guide\/[\w-]+\.svg$/, /^examples\/metrics\/prometheus\.mjs$/]

/** A link or a picture: its path, unless it points into the same page or to a server. */
const LINK = /\]\((?!\w+:|#)([^)#\s]+)/g

describe('the packed package, after npm has installed it,', () => {
  const packed = inject('packed')

  it('contains all necessary files and no build files', () => {
    const names = packed.files.map((file) => file.replace('package/', ''))
    expect(names).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'SECURITY.md',
        'examples/guide/index.md',
        'crate/FORMAT.md',
        'dist/index.js',
        'dist/index.d.ts',
        'dist/index.js.map',
        'js/sdk/instance/open.ts',
        'dist/THIRD-PARTY-NOTICES.txt',
      ]),
    )
    expect(
      names.filter(
        (name) =>
          !GIVEN.some((given) => given.test(name)) &&
          /(^|\/)(tests|bench|examples|target|node_modules|build)\//.test(name),
      ),
    ).toEqual([])
    expect(names).not.toContain('.ready')
  })

  it('is at most 3.9 MB to download, and occupies at most 15 MB on a disk', async () => {
    const own = join(packed.folder, 'node_modules/alvarium-sdk')
    const blocks = packed.files.map(async (file) => {
      const { size } = await stat(join(own, file.replace('package/', '')))
      return 4096 * Math.ceil(size / 4096)
    })
    const onDisk = (await Promise.all(blocks)).reduce((total, size) => total + size, 0)
    const [tarball = ''] = (await readdir(packed.folder)).filter((name) => name.startsWith('alvarium-sdk-'))
    expect((await stat(join(packed.folder, tarball))).size).toBeLessThan(3_900_000)
    expect(onDisk).toBeLessThan(15_000_000)
  })

  // claim: readme-15
  it('contains the whole guide of the repository', async () => {
    const guide = await readdir(new URL('../../examples/guide', import.meta.url))
    const pages = guide.filter((name) => name.endsWith('.md')).map((name) => `package/examples/guide/${name}`)
    expect(pages.filter((page) => !packed.files.includes(page))).toEqual([])
  })

  it.each(['alvarium-sdk', 'alvarium-artifacts', 'alvarium-command'])(
    'has no broken link in any text of %s',
    async (name) => {
      const folder = name === 'alvarium-command' ? packed.shell : packed.folder
      const own = join(folder, 'node_modules', name)
      const texts = (await readdir(own, { recursive: true })).filter((file) => file.endsWith('.md'))
      expect(texts).toContain('README.md')
      const links = await Promise.all(
        texts.map(async (text) => {
          const markdown = await readFile(join(own, text), 'utf8')
          return [...markdown.matchAll(LINK)].map(([, path = '']) => join(dirname(text), path))
        }),
      )
      expect(links.flat().filter((path) => !existsSync(join(own, path)))).toEqual([])
    },
  )

  it.each(['workerd', 'edge-light'])(
    'imports its WebAssembly from its own folder on %s',
    async (platform) => {
      const folder = join(packed.folder, 'node_modules/alvarium-sdk/dist/foundation/modules')
      const program = await readFile(join(folder, `${platform}.js`), 'utf8')
      const imported = [...program.matchAll(/"([^"]+\.wasm)(?:\?module)?"/g)].map(([, path = '']) =>
        join(folder, path),
      )
      expect(imported.map((path) => basename(path)).sort()).toEqual(['algorithms.wasm', 'core.wasm'])
      expect(imported.map((path) => existsSync(path))).toEqual([true, true])
    },
  )

  it('reads configs, and exports their schema', async () => {
    const said = JSON.parse(await printed('node', ['node-config/main.mjs'], packed.folder))
    const kinds = ['src', 'mock']
    expect(said).toEqual(['https://json-schema.org/draft/2020-12/schema', kinds, kinds])
  })

  it('has an outbox that needs no other package', async () => {
    expect(await printed('node', ['node-outbox/main.mjs'], packed.folder)).toBe('stored and delivered')
  })

  it('loads file annotators from alvarium-artifacts if a config names one', async () => {
    expect(await printed('node', ['node-annotators/main.mjs'], packed.folder)).toBe('checksum 0 true')
  })
})
