// node bench.mjs [built module of another harness]: µs, all in one process, in short turns. On a shared machine the lowest
// tenth says more than the median.

import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto'
import { harness } from './build.mjs'

const { Pair } = await harness()
const seed = Buffer.alloc(32, 7)
const message = randomBytes(400)
const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
const publicKey = createPublicKey(privateKey)
const pair = new Pair(seed)
const signature = sign(null, message, privateKey)
if (!Buffer.from(pair.sign(message)).equals(signature)) throw new Error('another signature')

const rows = {
  'node:crypto sign': [1, () => sign(null, message, privateKey)],
  'node:crypto verify': [1, () => verify(null, message, publicKey, signature)],
  sign: [1, () => pair.sign(message)],
  'sign by 16': [16, () => pair.sign_many(message, 16)],
  'sign checked': [1, () => pair.sign_checked(message)],
  'verify, table': [1, () => pair.verify_with_table(message, signature)],
  'verify by 64, table': [64, () => pair.verify_group(message, signature, 64)],
  'verify, no table': [1, () => pair.verify(message, signature)],
  'read key': [1, () => pair.read_key()],
  'make table': [1, () => pair.make_table()],
}

const samples = Object.fromEntries(Object.keys(rows).map((name) => [name, []]))
const rounds = Number(process.argv[2] ?? 400)
for (let round = 0; round < rounds; round++) {
  for (const [name, [each, run]] of Object.entries(rows)) {
    const times = each > 1 ? 1 : 10
    const start = process.hrtime.bigint()
    for (let i = 0; i < times; i++) run()
    samples[name].push(Number(process.hrtime.bigint() - start) / 1000 / times / each)
  }
}
const at = (list, share) => list.slice(rounds / 8).toSorted((a, b) => a - b)[Math.floor(list.length * 0.87 * share)]
console.log(`Node ${process.version}: lowest tenth, its ratio to node:crypto, median, its ratio`)
for (const [name, list] of Object.entries(samples)) {
  const rival = samples[/sign/.test(name) ? 'node:crypto sign' : 'node:crypto verify']
  const columns = [0.1, 0.5].flatMap((share) => [at(list, share).toFixed(1), (at(list, share) / at(rival, share)).toFixed(3)])
  console.log(name.padEnd(22), columns.map((text) => text.padStart(8)).join(''))
}
