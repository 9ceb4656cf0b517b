// Lists the row groups of a Parquet file that differ from the signed ones:
//
//   node examples/parquet/check.mjs readings.parquet message.json public.key
//
// Exit code 0: neither a row group nor the footer differs. 1: some of them differ, or the number of row
// groups differs. 2: the check failed, for example because the message does not verify.

import { readFile } from 'node:fs/promises'
import { keyOf, readKey, verifyMessage } from 'alvarium-sdk'
import { given } from '../shared/program.mjs'
import { green, red } from '../shared/terminal.mjs'
import { piecesOf } from './pieces.mjs'

const [path, messageFile, keyFile] = given('check.mjs readings.parquet message.json public.key')
const keyring = [await readKey(keyFile)]
const { inputs, signer } = await verifyMessage(await readFile(messageFile), { keyring })
if (!inputs) throw new Error(`${messageFile}: expected a message of annotate.mjs, got one without row groups`)
const signed = inputs.map((input) => ('key' in input ? input.key : input.set))
const pieces = await piecesOf(path)

let altered = 0
for (const [at, { name, source }] of pieces.entries()) {
  const key = await keyOf(source())
  // Compare by position first: a constant sensor value makes identical row groups, of which `indexOf` finds
  // only the first.
  if (signed[at] === key) continue
  altered++
  const place = signed.indexOf(key)
  console.log(red(`✗ ${name}: ${place < 0 ? 'not as it was signed' : `was number ${place + 1}`}`))
}
if (pieces.length !== signed.length) {
  altered++
  console.log(red(`✗ ${pieces.length - 1} row groups, and ${signed.length - 1} were signed`))
}
if (altered === 0) console.log(green(`✓ all ${pieces.length - 1} row groups are as ${signer} signed them`))
process.exitCode = altered > 0 ? 1 : 0
