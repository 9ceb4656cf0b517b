import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'puppeteer-core'
import { preview } from 'vite'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { launch } from '../browsers/launch.mjs'
import { printed } from './packed.js'

/** How the core begins as text. */
const [, INLINED = 'nothing'] =
  readFileSync(new URL('../../js/core/generated/inline.js', import.meta.url), 'utf8').match(/'(.{40})/) ?? []

describe('alvarium-sdk/slim, installed as users do', () => {
  const packed = inject('packed')

  it('says what is missing, and works once it is given the core', async () => {
    const [early, promised, damaged, kinds] = JSON.parse(
      await printed('node', ['node-slim/main.mjs'], packed.folder),
    )
    expect(early).toBe('CORE_UNAVAILABLE')
    expect(promised).toBe('TypeError')
    expect(damaged).toBe('CORE_UNAVAILABLE')
    expect(kinds).toEqual(['src'])
  })

  it('takes a core that was compiled in another realm, as at the edge of Next.js', async () => {
    expect(await printed('node', ['node-slim/realm.mjs'], packed.folder)).toBe('64')
  })

  it('shares its core with alvarium-sdk in the same process', async () => {
    expect(await printed('node', ['node-slim/both.mjs'], packed.folder)).toBe('["src"]')
  })

  describe('in a page that Vite built without configuration', () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launch('chromium')
    })
    afterAll(() => browser?.close())

    const scripts = async (project: string) => {
      const folder = join(packed.folder, project, 'dist/assets')
      const names = (await readdir(folder)).filter((name) => name.endsWith('.js'))
      return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('')
    }

    it('leaves the core out of the scripts, where alvarium-sdk has it', async () => {
      expect(await scripts('vite')).toContain(INLINED)
      expect(await scripts('vite-slim')).not.toContain(INLINED)
    })

    it('compiles the core while it is fetched', async () => {
      const root = join(packed.folder, 'vite-slim')
      const server = await preview({ root, configFile: false, preview: { port: 0, host: '127.0.0.1' } })
      try {
        const page = await browser.newPage()
        await page.goto(`${server.resolvedUrls?.local[0]}`)
        await page.waitForFunction(() => document.querySelector('output')?.textContent)
        expect(await page.$eval('output', (output) => output.textContent)).toBe('[["src",true]]')
      } finally {
        await server.close()
      }
    })
  })
})
