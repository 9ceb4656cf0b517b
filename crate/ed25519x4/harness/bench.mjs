// node bench.mjs [--rounds=400] [a checkout of alvarium-sdk, built, to compare with]: µs, all in one process, in short turns.
// On a shared machine the lowest tenth says more than the median, and a ratio more than both.

import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { harness } from './build.mjs'

const options = process.argv.slice(2)
const rounds = Number(options.find((option) => option.startsWith('--rounds='))?.slice(9) ?? 400)
const present = options.find((option) => !option.startsWith('--'))

const { Pair } = await harness()
const seed = Buffer.alloc(32, 7)
const message = randomBytes(400)
const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
const publicKey = createPublicKey(privateKey)
const pair = new Pair(seed)
const signature = sign(null, message, privateKey)
if (!Buffer.from(pair.sign(message)).equals(signature)) throw new Error('another signature')

/** Each row: how many one call does, and the call. */
const rows = {
  'node:crypto sign': [1, () => sign(null, message, privateKey)],
  'node:crypto verify': [1, () => verify(null, message, publicKey, signature)],
  ...(present ? await rowsOf(present) : {}),
  sign: [1, () => pair.sign(message)],
  'sign by 16': [16, () => pair.sign_many(message, 16)],
  'sign checked': [1, () => pair.sign_checked(message)],
  'verify, table': [1, () => pair.verify_with_table(message, signature)],
  'verify by 64, table': [64, () => pair.verify_group(message, signature, 64)],
  'verify, no table': [1, () => pair.verify(message, signature)],
  'read verifying key': [1, () => pair.read_key()],
  'table to verify with': [1, () => pair.make_table()],
}

/** The signing and verifying of the core in a built checkout. */
async function rowsOf(checkout) {
  const glue = await import(pathToFileURL(join(resolve(checkout), 'js/core/generated/core.js')))
  const { base64 } = await import(pathToFileURL(join(resolve(checkout), 'js/core/generated/inline.js')))
  glue.initSync({ module: Buffer.from(base64, 'base64') })
  const [signer, verifier] = [glue.SigningKey.read(seed), glue.VerifyingKey.read(pair.public_key())]
  return {
    'present core sign': [1, () => signer.sign(message)],
    'present core verify': [1, () => verifier.verifies(message, signature)],
  }
}

const samples = Object.fromEntries(Object.keys(rows).map((name) => [name, []]))
for (let round = 0; round < rounds; round++) {
  for (const [name, [each, run]] of Object.entries(rows)) {
    const times = each > 1 ? 1 : 10
    const start = process.hrtime.bigint()
    for (let i = 0; i < times; i++) run()
    samples[name].push(Number(process.hrtime.bigint() - start) / 1000 / times / each)
  }
}

/** The first eighth warms up. */
function quantile(list, share) {
  const warm = list.slice(rounds / 8).toSorted((a, b) => a - b)
  return warm[Math.floor(warm.length * share)]
}

console.log(
  `Node ${process.version}, ${message.length} B: lowest tenth, its ratio to node:crypto, median, its ratio`,
)
for (const [name, list] of Object.entries(samples)) {
  const rival = samples[name.includes('sign') ? 'node:crypto sign' : 'node:crypto verify']
  const columns = [0.1, 0.5].flatMap((share) => {
    const own = quantile(list, share)
    return [own.toFixed(1), (own / quantile(rival, share)).toFixed(3)]
  })
  console.log(name.padEnd(22), ...columns.map((text) => text.padStart(8)))
}
