// `npm run words`: are comments, docstrings, titles of tests and names plain English?
//
//   npm run words                 new lines have no fault, and each room has as many old ones as old-faults.json says
//   npm run words -- js/store     lists all faults of a folder or a file, old ones too
//   npm run words -- --accept     writes old-faults.json anew, after old faults were fixed or branches were merged

import { fileURLToPath } from 'node:url'
import { accept, check, faultsOf, lineOf } from './check.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const [given] = process.argv.slice(2)

if (given === '--accept') accept(root)
else {
  const lines =
    given === undefined ? check(root) : faultsOf(root, `${given}/`.replace('//', '/')).faults.map(lineOf)
  for (const line of lines) console.log(line)
  process.exitCode = lines.length > 0 ? 1 : 0
}
