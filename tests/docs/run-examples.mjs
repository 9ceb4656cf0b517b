// Runs examples one after the other in one process, and prints a line of JSON for each, with its error if it throws. Examples
// leave closing to their application, which ends here.
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
