import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deadLinks } from '../../examples/guide/build/links.mjs'
import { entries, INDEX, PAGES, ROOT, titleOf } from '../../examples/guide/build/pages.mjs'
import { PAGES as TESTED } from '../guide/blocks.js'

const text = (path: string) => readFile(join(ROOT, path), 'utf8')

describe('troubleshooting', () => {
  it('has every code that there is, and no other', async () => {
    const [, union = ''] =
      /type ErrorCode =\n((?: {2}\| '\w+'\n)+)/.exec(await text('js/base/errors.ts')) ?? []
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code)
    const page = await text('examples/guide/troubleshooting.md')
    const explained = [...page.matchAll(/^### (\w+)$/gm)].map(([, code]) => code)
    expect(codes.length).toBeGreaterThan(20)
    expect(explained.sort()).toEqual(codes.sort())
  })
})

describe('the site', () => {
  const pages = [INDEX, ...Object.values(PAGES).flat()]

  it('has every page of the guide', () => {
    const guide = TESTED.filter((page) => page.startsWith('examples/guide/'))
    expect(pages.filter((page) => page.startsWith('examples/guide/')).sort()).toEqual(guide.sort())
  })

  it('calls each page by its heading, which no other has', async () => {
    const titles = await Promise.all(pages.map(async (page) => titleOf(await text(page))))
    expect(titles).not.toContain(undefined)
    expect(new Set(titles).size).toBe(titles.length)
  })

  it('has every name under which the package is imported', () => {
    expect(entries().map(([name]) => name)).toEqual(
      expect.arrayContaining(['alvarium-sdk', 'alvarium-sdk/pool', 'alvarium-sdk/verify']),
    )
  })
})

describe('links that lead nowhere are told:', () => {
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
    'not %s',
    async (link) => expect(await told(link)).toEqual([]),
  )

  it.each(['gone.html', '../index.html#gone', '#gone', '../../index.html', '/index.html', '..'])(
    'but %s',
    async (link) => expect(await told(link)).toEqual([`sub/page.html: ${link}`]),
  )
})
