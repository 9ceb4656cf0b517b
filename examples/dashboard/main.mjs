// Serves a page about a store: annotations of a payload, its lineage, and failing or silent signers.
//
//   node examples/dashboard/main.mjs                                  with sample data in memory
//   node examples/dashboard/main.mjs --database postgres://…          your store; folder:./path for one in a folder
//                                    --build <dir>                    writes the page for server.mjs, and serves nothing

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from 'alvarium-sdk/store'
import { bold, red } from '../shared/terminal.mjs'
import { buildPage } from './build.mjs'
import { keyring, sampleMessages } from './sample.mjs'
import { serveDashboard } from './server.mjs'

const PORT = 4190

try {
  const { values } = parseArgs({
    options: { database: { type: 'string' }, build: { type: 'string' }, port: { type: 'string' } },
  })
  if (values.build) await buildPage(resolve(values.build))
  else await serve(values)
} catch (error) {
  console.error(red(`dashboard: ${error.message}`))
  process.exitCode = 1
}

/** @param {{ database?: string, port?: string }} options */
async function serve({ database, port = `${PORT}` }) {
  const store = await openStore(database ?? 'memory:', { keyring, create: database === undefined })
  const dir = await mkdtemp(join(tmpdir(), 'alvarium-dashboard-'))
  try {
    await buildPage(dir)
    if (database === undefined) await store.ingest(await sampleMessages(Date.now()))
    const page = await serveDashboard({ dir, store, port: Number(port) })
    console.log(`${bold(page.url)}  the page\n${page.url}api/docs  what it asks\n\nCtrl-C ends it.`)
    await new Promise((resolve) => {
      for (const name of ['SIGINT', 'SIGTERM']) process.once(name, resolve)
    })
    await page.close()
  } finally {
    await store.close()
    await rm(dir, { recursive: true })
  }
}
