// Writes the page that verifies evidence packs: one HTML file that needs no server and loads no other file:
//
//   npm run pack-page -- pack.html

import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { isStarted } from '../shared/started.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))

/** @returns {Promise<string>} */
export async function packPage() {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2023',
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: false } },
    },
  })
  const files = [built].flat().flatMap(({ output }) => output)
  const textOf = (/** @type {RegExp} */ name) => {
    const file = files.find(({ fileName }) => name.test(fileName))
    if (!file) throw new Error(`expected a file like ${name}, got ${files.map(({ fileName }) => fileName)}`)
    return String(file.type === 'chunk' ? file.code : file.source)
  }
  return inOne(textOf(/\.html$/), textOf(/^assets\/index-[^/]*\.js$/), textOf(/\.css$/))
}

/**
 * Combines all parts in one HTML page. The page's Content-Security-Policy permits no code but this script,
 * WebAssembly, and workers that the script makes from text (`blob:`).
 *
 * @param {string} html
 * @param {string} script
 * @param {string} style
 */
function inOne(html, script, style) {
  const inline = script.replaceAll('</script', String.raw`<\/script`).replaceAll('<!--', String.raw`\x3C!--`)
  const digest = createHash('sha256').update(inline).digest('base64')
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${digest}' 'wasm-unsafe-eval'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const withoutLinks = html.replace(/<script[^>]*><\/script>|<link rel="stylesheet"[^>]*>/g, '')
  return withoutLinks
    .replace('<!-- csp -->', () => `<meta http-equiv="Content-Security-Policy" content="${policy}" />`)
    .replace('</head>', () => `<style>${style}</style></head>`)
    .replace('</body>', () => `<script type="module">${inline}</script></body>`)
}

if (isStarted(import.meta.url)) {
  await import('../shared/program.mjs')
  const [path = 'pack.html'] = process.argv.slice(2)
  const page = await packPage()
  await writeFile(path, page)
  console.log(
    `${path}: ${Math.ceil(page.length / 1024)} KiB. Open it in a browser, and drop an evidence pack on it.`,
  )
}
