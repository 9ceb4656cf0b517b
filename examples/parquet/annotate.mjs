// Signs a Parquet file as made from its row groups, in their order, with one message:
//
//   node examples/parquet/annotate.mjs readings.parquet private.key message.json

import { writeFile } from 'node:fs/promises'
import { keyOf, memory, openSdk, readKey, source } from 'alvarium-sdk'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { given } from '../shared/program.mjs'
import { piecesOf } from './pieces.mjs'

const [path, keyFile, out] = given('annotate.mjs readings.parquet private.key message.json')
const signingKey = await readKey(keyFile)
const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
try {
  const inputs = []
  for (const piece of await piecesOf(path)) {
    inputs.push(/** @type {const} */ ({ hash: 'sha256', key: await keyOf(piece.source()) }))
  }
  const { message } = await sdk.mutate(inputs, await openAsSource(path))
  await writeFile(out, message)
  console.log(`${inputs.length - 1} row groups signed: ${out}, ${message.length} bytes`)
} finally {
  await sdk.close()
}
