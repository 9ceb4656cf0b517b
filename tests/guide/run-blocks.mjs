// Runs modules one after the other, each in its folder, and says before each which one it is, and behind it that it came to
// its end. All in one process, as each would compile the core again.
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
