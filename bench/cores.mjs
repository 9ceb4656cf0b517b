// Measures the time of the reference core (`alvarium-sdk/reference`) as a multiple of the core's time:
//
// node bench/cores.mjs [--blocks 31]
//
// Both modules run in this process with separate copies of the glue code, and take turns in blocks of CPU
// time. The table shows the median of the blocks with its 95 % interval.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { cpuOf, medianOf, ratiosOf } from './suites/blocks.mjs'

/** @typedef {typeof import('../dist/foundation/core/generated/core.js')} Core */

const DIST = new URL('../dist/', import.meta.url)
const BLOCK_MICROS = 20_000
const WARM_UP_MICROS = 200_000
const MESSAGES = 64
const NOW_MICROS = 1_795_000_000_000_000
/** DER prefix of an Ed25519 private key in PKCS#8 (RFC 8410 §7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

const { values } = parseArgs({ options: { blocks: { type: 'string', default: '31' } } })

/**
 * @param {string} name of a WebAssembly module
 * @returns {Promise<Core>} a separate copy of the glue code with this module
 */
async function start(name) {
  const core = await import(`${new URL('foundation/core/generated/core.js', DIST)}?${name}`)
  core.initSync({ module: new WebAssembly.Module(readFileSync(new URL(`${name}.wasm`, DIST))) })
  return core
}

/** @param {Core} core @param {number} length of the payload */
function numbersOf({ Field }, length) {
  const numbers = new Uint32Array(Field.Numbers)
  numbers[Field.Asked] = 1
  numbers[Field.Answers] = 1
  numbers[Field.Length] = length
  numbers[Field.MicrosLow] = NOW_MICROS % 2 ** 32
  numbers[Field.MicrosHigh] = Math.floor(NOW_MICROS / 2 ** 32)
  return numbers
}

/** @param {Core} core @returns {Record<string, () => unknown>} */
function operations(core) {
  const privateKey = Buffer.concat([PKCS8, Buffer.alloc(32, 7)])
  const key = core.SigningKey.read(privateKey)
  const publicKey = key.verifyingKey()
  const bytes = publicKey.toBytes()
  const sealer = new core.Sealer(publicKey.id(), 'sha256', 'edge-7', 'app', ['src'], '')
  const seal = (length) => sealer.seal(key, numbersOf(core, length), new Uint8Array(length))
  const verifier = new core.Verifier(8 * 1024 * 1024)
  verifier.trust(publicKey)
  const message = seal(100)
  const joined = Buffer.concat(Array(MESSAGES).fill(message))
  const lengths = new Uint32Array(MESSAGES).fill(message.length)
  return {
    'read a private key': () => core.SigningKey.read(privateKey).free(),
    'read a public key': () => core.VerifyingKey.read(bytes).free(),
    'seal 100 bytes': () => seal(100),
    'seal 20 kB': () => seal(20_000),
    'verify a message': () => verifier.verify(message),
    [`verify ${MESSAGES} messages`]: () => verifier.verifyMany(joined, lengths),
  }
}

const [core, reference] = [operations(await start('core')), operations(await start('reference'))]
console.log(`CPU time of the reference core ÷ of the core: ${values.blocks} blocks of each`)
console.log(`${''.padEnd(20)}   median    from       to  (95 %)`)
for (const [name, run] of Object.entries(core)) {
  const [base, other] = [{ run }, { run: reference[name] }]
  for (const contender of [base, other]) {
    const each = (await cpuOf(contender, 50)) / 50
    await cpuOf(contender, Math.ceil(WARM_UP_MICROS / each))
  }
  const operations = Math.ceil(BLOCK_MICROS / ((await cpuOf(base, 50)) / 50))
  const { low, median, high } = medianOf(
    await ratiosOf(base, other, { blocks: Number(values.blocks), operations }),
  )
  console.log(name.padEnd(20) + [median, low, high].map((value) => value.toFixed(2).padStart(9)).join(''))
}
