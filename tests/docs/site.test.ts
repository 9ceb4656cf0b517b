import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deadLinks } from '../../examples/guide/build/links.mjs'
import { INDEX, PAGES, ROOT, titleOf } from '../../examples/guide/build/pages.mjs'
import { sectionsOf } from '../../examples/guide/build/sections.mjs'
import { PAGES as TESTED } from '../guide/blocks.js'

const text = (path: string) => readFile(join(ROOT, path), 'utf8')

describe("the guide's page about troubleshooting", () => {
  it('explains exactly the error codes that exist', async () => {
    const [, union = ''] =
      /type ErrorCode =\n((?: {2}\| '\w+'\n)+)/.exec(await text('js/foundation/base/errors.ts')) ?? []
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code)
    const page = await text('examples/guide/troubleshooting.md')
    const explained = [...page.matchAll(/^### (\w+)$/gm)].map(([, code]) => code)
    expect(codes.length).toBeGreaterThan(20)
    expect(explained.sort()).toEqual(codes.sort())
  })
})

describe('the search of the docs site', () => {
  const found = (page: string) => sectionsOf(page).sections.map(({ title, anchor }) => [title, anchor])

  it('finds the heading of an error code, such as QUEUE_FULL', async () => {
    const page = await text('examples/guide/troubleshooting.md')
    expect(found(page)).toContainEqual(['QUEUE_FULL', 'queue_full'])
  })

  it('links to headings by the anchors that TypeDoc makes, which end with a number if two headings are equal', () => {
    const page = '# Page\n\n## Many: `createMany`\n### [Old](a.md) and new\n## Page\n'
    expect(found(page)).toEqual([
      ['Many: createMany', 'many'],
      ['Old and new', 'old-and-new'],
      ['Page', 'page-1'],
    ])
  })

  it('treats a # line in a block of code as text of the section, not as a heading', () => {
    const page = '# Page\nIntro\n## One\n```sh\n## install\nnpm i\n```\nafter\n## Two\n'
    const { intro, sections } = sectionsOf(page)
    expect([intro, sections.map(({ title }) => title)]).toEqual(['# Page\nIntro\n', ['One', 'Two']])
    expect(sections[0]?.text).toContain('after')
  })
})

describe('the docs site', () => {
  const pages = [INDEX, ...Object.values(PAGES).flat()]

  it('contains every page of the guide', () => {
    const guide = TESTED.filter((page) => page.startsWith('examples/guide/'))
    expect(pages.filter((page) => page.startsWith('examples/guide/')).sort()).toEqual(guide.sort())
  })

  it('has a title on each page, and no two pages with the same title', async () => {
    const titles = await Promise.all(pages.map(async (page) => titleOf(await text(page))))
    expect(titles).not.toContain(undefined)
    expect(new Set(titles).size).toBe(titles.length)
  })
})

describe('deadLinks', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'alvarium-links-'))
    await mkdir(join(folder, 'sub'))
    await writeFile(join(folder, 'index.html'), '<h1 id="top">…</h1><a href="sub/page.html#there">…</a>')
  })
  afterAll(() => rm(folder, { recursive: true }))

  const told = async (link: string) => {
    await writeFile(join(folder, 'sub/page.html'), `<p id="there"><a href="${link}">…</a></p>`)
    return deadLinks(folder)
  }

  it.each(['../index.html', '../index.html#top', '#there', 'https://example.com/x', 'mailto:a@example.com'])(
    'accepts the link %s',
    async (link) => expect(await told(link)).toEqual([]),
  )

  it('reports a search result whose page or anchor does not exist', async () => {
    await told('../index.html')
    expect(deadLinks(folder, ['sub/page.html#there', 'sub/page.html#gone'])).toEqual([
      'search: sub/page.html#gone',
    ])
  })

  it.each([
    'gone.html',
    'http://FORMAT.md',
    '../index.html#gone',
    '#gone',
    '../../index.html',
    '/index.html',
    '..',
  ])('reports the dead link %s', async (link) => expect(await told(link)).toEqual([`sub/page.html: ${link}`]))
})
