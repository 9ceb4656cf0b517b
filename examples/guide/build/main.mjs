// Writes the guide, the reference and the demo page for any static web server (`npm run docs`):
//
//   npm run docs                 into examples/guide/dist
//   npm run docs -- FOLDER       into another folder
//
// Fails for public names without a docstring, for dead links, and for questions that the search does not
// answer.

import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { buildPage } from '../../demo/build/build.mjs'
import { red } from '../../shared/terminal.mjs'
import { writeCodePages } from './codes.mjs'
import { finder } from './find.mjs'
import { deadLinks } from './links.mjs'
import { ROOT } from './pages.mjs'
import { failuresOf } from './questions.mjs'
import { resultsOf } from './search.mjs'
import { buildSite } from './site.mjs'

const folder = resolve(process.argv[2] ?? join(ROOT, 'examples/guide/dist'))

try {
  await rm(folder, { recursive: true, force: true })
  await buildSite(folder)
  await writeCodePages(folder)
  await buildPage(join(folder, 'demo'), 'serverless')
  const results = resultsOf(folder)
  const dead = deadLinks(
    folder,
    results.map(({ url }) => url),
  )
  if (dead.length > 0) throw new Error(`${dead.length} links lead nowhere:\n${dead.join('\n')}`)
  const questions = failuresOf(finder(results))
  if (questions.length > 0) throw new Error(`the search does not find:\n${questions.join('\n')}`)
  console.log(`Written to ${folder}, for any static web server.`)
} catch (error) {
  console.error(red(`docs: ${error.message}`))
  process.exitCode = 1
}
