// @slow: it fetches Mermaid and starts a browser; tests/cli/lineage.test.ts shows how labels are escaped

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { launch } from '../browsers/launch.mjs'
import { alvarium } from '../cli/command.js'
import { signer, text } from '../cli/messages.js'
import { utf8 } from '../support/bytes.js'
import { craftedBundle, keyOfText } from '../support/crafted.js'

// Mermaid is not a dependency, because with its own dependencies it would be the largest one. Its browser file, at this
// version, is enough.
const MERMAID = {
  name: 'mermaid@11.12.0',
  sha256: '07e37dfa97b337ccc85365d57eddf99b9706f09db3b59b260d0333b23b343c4b',
}

const folder = mkdtempSync(join(tmpdir(), 'alvarium-mermaid-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the path of Mermaid's file for browsers; undefined if npm cannot download it. */
function fetchedMermaid(): string | undefined {
  try {
    execFileSync('npm', ['pack', '--silent', MERMAID.name], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    execFileSync('tar', ['xzf', `${MERMAID.name.replace('@', '-')}.tgz`, 'package/dist/mermaid.min.js'], {
      cwd: folder,
    })
  } catch (error) {
    console.warn(`not tested: what Mermaid draws. ${error}`)
    return undefined
  }
  return join(folder, 'package/dist/mermaid.min.js')
}

const HOSTS = [
  '"]; click p0 call alert(1) %% <script>alert(1)</script> `**b**` #35; #quot; & --> ]]> end',
  '<img src=x onerror=alert(1)> [x](javascript:alert(1)) 1. list $$x^2$$ fa:fa-car',
  '温度计-七 مستشعر 🌡️ {a: b} @{ shape: circ } ::: subgraph',
]

/** Returns messages about a reading and the payloads made from it, by hosts whose names are syntax of Mermaid. */
async function story() {
  const { key, write, signingKey, keyId } = await signer()
  const holder = { ...generateKey(), signingKey, keyId }
  const messages = HOSTS.flatMap((host) => [
    craftedBundle(holder, { about: 'raw', host }),
    craftedBundle(holder, {
      action: 'mutate',
      about: 'mean',
      previous: 'raw',
      host,
      says: { src: true, [host]: false },
    }),
    craftedBundle(generateKey(), { about: 'mean', host }),
  ])
  const file = await write('messages.ndjson', messages.map(({ message }) => text(message)).join('\n'))
  return async (format: string) =>
    (await alvarium(['lineage', keyOfText('mean'), file, ...key, '--as', format])).out
}

async function wide() {
  const { key, signingKey } = await signer()
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  await sdk.mutate(
    Array.from({ length: 700 }, (_, at) => utf8(`${at}`)),
    utf8('mean'),
  )
  await sdk.close()
  const input = stream.messages.map(text).join('\n')
  return (await alvarium(['lineage', keyOfText('mean'), ...key, '--as', 'mermaid'], { input })).out
}

const script = fetchedMermaid()

describe.skipIf(!script)('a lineage that is shown in Chromium', () => {
  let browser: Awaited<ReturnType<typeof launch>>
  beforeAll(async () => {
    browser = await launch('chromium')
  })
  afterAll(() => browser.close())

  async function openPage() {
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    const alerts: string[] = []
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message())
      void dialog.dismiss()
    })
    return { page, alerts }
  }

  it('is drawn by Mermaid with the exact names of hosts, and runs no code from these names', async () => {
    expect(
      createHash('sha256')
        .update(readFileSync(script as string))
        .digest('hex'),
    ).toBe(MERMAID.sha256)
    const drawn = await story()
    for (const [what, diagram] of [
      ['the story', await drawn('mermaid')],
      ['a wide one', await wide()],
    ] as const) {
      const { page, alerts } = await openPage()
      await page.setContent('<!doctype html><meta charset="utf-8"><div id="here"></div>')
      await page.addScriptTag({ path: script as string })
      const shown = await page.evaluate(async (code) => {
        const { mermaid } = globalThis as unknown as {
          mermaid: {
            initialize(options: object): void
            parse(text: string): Promise<{ diagramType: string }>
            render(id: string, text: string): Promise<{ svg: string }>
          }
        }
        mermaid.initialize({ startOnLoad: false })
        const { diagramType } = await mermaid.parse(code)
        const here = document.querySelector('#here') as HTMLElement
        here.innerHTML = (await mermaid.render('drawn', code)).svg
        const labels = [...here.querySelectorAll('.node')].map((node) => node.textContent ?? '')
        return { diagramType, labels, foreign: here.querySelectorAll('script, img, a').length }
      }, diagram)
      expect([what, shown.diagramType, shown.foreign, alerts]).toEqual([what, 'flowchart-v2', 0, []])
      expect(shown.labels.length).toBe(diagram.match(/^ {2}p\d+\["/gm)?.length)
      if (what === 'the story')
        for (const host of HOSTS) expect(shown.labels.join().replaceAll('\u2060', '')).toContain(host)
    }
  })

  it('is drawn as SVG with every line of text inside its box', async () => {
    const { page, alerts } = await openPage()
    const file = join(folder, 'lineage.svg')
    writeFileSync(file, await (await story())('svg'))
    await page.goto(pathToFileURL(file).href)
    const boxes = await page.$$eval('g', (groups) =>
      groups.map((group) => {
        const frame = group.querySelector('rect')?.getBoundingClientRect()
        const lines = [...group.querySelectorAll('text')].map((line) => line.getBoundingClientRect())
        const within = (line: DOMRect) =>
          frame &&
          line.left >= frame.left &&
          line.right <= frame.right &&
          line.top >= frame.top &&
          line.bottom <= frame.bottom
        return { lines: lines.length, within: lines.filter(within).length }
      }),
    )
    expect(alerts).toEqual([])
    expect(boxes.length).toBe(2)
    for (const { lines, within } of boxes) expect(within).toBe(lines)
  })
})
