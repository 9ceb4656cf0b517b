// A process that opens a store in a folder, for the tests of its lock: it prints a line, and stays until it is
// killed.

import { openStore } from 'alvarium-sdk/store'
import 'alvarium-sdk'

const store = await openStore(`folder:${process.argv[2]}`, { keyring: [] })
process.stdout.write('open\n')
// An open store does not keep the process alive, but waiting for input does.
process.stdin.on('end', () => store.close()).resume()
