// Proves whether an image is in a sealed set. Needs only the list of the set, not the other images.
//
//   node examples/image-set/prove.mjs set.list mine.bmp proof.json

import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { keyOf } from 'alvarium-sdk'
import { openKeyList, proveAbsent, proveMember } from 'alvarium-sdk/sets'
import { openAsSource } from 'alvarium-sdk/sources/node'
import { given } from '../shared/program.mjs'
import { size } from '../shared/terminal.mjs'

const [listFile, image, out] = given('prove.mjs set.list mine.bmp proof.json')
const list = await openKeyList(createReadStream(listFile))
const key = await keyOf(await openAsSource(image))
const proof = list.has(key) ? proveMember(list, key) : proveAbsent(list, key)
await writeFile(out, proof)
console.log(`${out}, ${size(proof.length)}`)
