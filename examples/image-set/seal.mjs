// Seals a folder of images, of any number and size, as one message to publish and a list to store:
//
//   node examples/image-set/seal.mjs IMAGES private.key OUT

import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keyOf, readKey } from 'alvarium-sdk'
import { sealSet } from 'alvarium-sdk/sets'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { given } from '../shared/program.mjs'
import { count, size } from '../shared/terminal.mjs'

const [folder, keyFile, out] = given('seal.mjs IMAGES private.key OUT')
const signingKey = await readKey(keyFile)
const { message, set, list } = await sealSet(payloadKeys(folder), { signingKey, name: 'training-7' })
await writeFile(join(out, 'set.list'), list.pieces())
await writeFile(join(out, 'set.json'), message)
console.log(
  `${count(set.rows)} images sealed, ${count(set.size)} different: set.json to publish, ${size(message.length)}`,
)

/** Yields the payload keys. Reads images in pieces, because one may exceed memory. @param {string} path */
async function* payloadKeys(path) {
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) yield keyOf(await openAsSource(join(entry.parentPath ?? entry.path, entry.name)))
  }
}
