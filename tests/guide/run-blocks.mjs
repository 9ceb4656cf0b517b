// Runs modules one after the other, each in its folder. Prints the module's name before each, and a mark after its end. All
// run in one process, because each process would compile the core again.
//
//   node run-blocks.mjs FILE…

import { basename, dirname } from 'node:path'
import { pathToFileURL } from 'node:url'

for (const path of process.argv.slice(2)) {
  process.chdir(dirname(path))
  console.log(`# ${basename(path)}`)
  try {
    await import(pathToFileURL(path).href)
    console.log('# end')
  } catch (error) {
    console.log(error)
  }
}
