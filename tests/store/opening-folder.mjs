// A process that has a store in a folder open, for the tests of its lock: it says so, and stays until it is killed.

import { openStore } from 'alvarium-sdk/store'
import 'alvarium-sdk'

const store = await openStore(`folder:${process.argv[2]}`, { keyring: [] })
process.stdout.write('open\n')
// What is open keeps no process: what waits for input does.
process.stdin.on('end', () => store.close()).resume()
