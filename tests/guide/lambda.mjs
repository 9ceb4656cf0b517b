// One instance of a Lambda function: loads its module, and answers events one at a time, as JSON.
//
//   lambda.mjs FILE     (with an IPC channel)

import { pathToFileURL } from 'node:url'

const { handler } = await import(pathToFileURL(process.argv[2]).href)
process.on('message', async (event) => process.send(await handler(event)))
process.send('ready')
