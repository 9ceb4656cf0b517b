// The programs of the projects: a user's code that imports the package and runs the job with it.

/** @param {string} broker JavaScript that gives the broker's URL @param {string} pool JavaScript that opens a pool */
const done = (broker, pool) => `job({ sdk, openPool: ${pool}, broker: ${broker} })`
const openPool = '() => pool({ workers: 1 })'

export const NO_POOL = 'undefined'

export const IN_NODE = 'process.env.BROKER'
export const IN_PAGE = "new URLSearchParams(location.search).get('broker')"

/** @param {{ broker?: string, job?: string, pool?: string, around?: (call: string) => string }} [how] */
export function esm({ broker = IN_NODE, job = './job.mjs', pool = openPool, around = (call) => call } = {}) {
  return `import * as sdk from 'alvarium-sdk'
${pool === NO_POOL ? '' : "import { pool } from 'alvarium-sdk/pool'"}
import { job } from '${job}'

${around(done(broker, pool))}
`
}

/** @param {{ broker?: string, around?: (call: string) => string }} [how] */
export function commonJs({ broker = IN_NODE, around = (call) => call } = {}) {
  return `const sdk = require('alvarium-sdk')
const { pool } = require('alvarium-sdk/pool')
const { job } = require('./job.cjs')

${around(done(broker, openPool))}
`
}

/** Returns the default TypeScript of CommonJS projects; the job's types are those of JavaScript. */
export function typeScript({ around = (call) => call } = {}) {
  return `import * as sdk from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'

const { job } = require('./job.cjs') as { job(given: object): Promise<Record<string, string>> }
const key: sdk.KeyPair = sdk.generateKey()
if (key.verifyingKey.length !== 32) throw new sdk.AlvariumError('KEY_INVALID', 'verifyingKey: expected 32 bytes')
${around(done(IN_NODE, openPool))}
`
}

export const html = (script, head = '') => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>matrix</title><link rel="icon" href="data:,">${head}</head>
<body>${script}</body>
</html>
`
export const module = (src) => `<script type="module" src="${src}"></script>`

/** Returns a test that checks that every step of the job succeeded. */
export const tested = (call) => `test('the job', async () => {
  const results = await ${call}
  expect(new Set(Object.values(results))).toEqual(new Set(['ok']))
}, 120_000)
`
