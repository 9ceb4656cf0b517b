// Serves the page that `npm run demo -- --build FOLDER --broker URL` wrote, with another broker URL:
//
//   FOLDER=/tmp/page BROKER_URL=ws://localhost:9001 PORT=8080 node examples/stack/page.mjs

import { servePage } from '../demo/build/server.mjs'
import '../shared/program.mjs'

const { FOLDER: dir = '/page', BROKER_URL: broker, HOST: host, PORT: port = '8080' } = process.env
const page = await servePage({ dir, broker, host, port: Number(port) })
console.log(`the page: ${page.url}`)
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, page.close)
