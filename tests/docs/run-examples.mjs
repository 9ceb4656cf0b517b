// Runs examples one after the other in one process, and tells for each on a line of JSON what it threw, if it did. Examples
// close what they open with their application, which ends here.
//
//   node run-examples.mjs FILE…

import { pathToFileURL } from 'node:url'

for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(file).href)
    console.log(`\n${JSON.stringify({ file })}`)
  } catch (error) {
    console.log(`\n${JSON.stringify({ file, error: String(error?.stack ?? error) })}`)
  }
}
process.exit()
