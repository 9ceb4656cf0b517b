// Measures unsigned requests that are made to cost time: the processor time of each, relative to an ordinary one that
// verifies.

import { AlvariumError, generateKey, toHex } from 'alvarium-sdk'
import { pkiHttp, signRequest } from 'alvarium-sdk/http'
import { readTrust } from 'alvarium-sdk/trust'
import { MAKES, SIGNERS } from './http-makes.mjs'
import { Random } from './random.mjs'
import { progress, Tally } from './tally.mjs'

/** The highest cost, as a multiple of that of an ordinary RFC 9421 request with the same body. */
const BOUND = 6
/** Repetitions for requests that look too expensive: the lowest figure has the least noise of the machine. */
const AGAIN = 200
const WARM = 500
const LARGEST = 65_536
const SIZES = [200, 2000, 4000, 8000, 16_000, 30_000, 60_000]
const BODIES = [new Uint8Array(16), new Uint8Array(1024), new Uint8Array(16_384)]
const URL_PATH = '/readings?unit=K'

/** @param {{ seed: number, count: number }} options */
export async function http({ seed, count }) {
  const random = new Random(seed, 5)
  const tally = new Tally()
  const stop = progress(tally, count)
  const { signingKey, verifyingKey } = generateKey()
  const keys = { k: verifyingKey }
  const judges = {
    ordinary: pkiHttp({ format: 'rfc9421', keys }),
    // Both annotators require few components, so that crafted requests get far.
    little: pkiHttp({ format: 'rfc9421', keys, components: ['@method'] }),
    alvarium: pkiHttp({ keys }),
    policy: pkiHttp({ format: 'rfc9421', keys: await policyOfMany(), components: ['@method'] }),
  }
  const ordinary = await ordinaryRequests(signingKey)
  const worst = { times: 1, make: 'an ordinary one' }
  for (let at = 0; at < WARM; at++) await cost(judges.ordinary, random.pick(ordinary), tally)
  for (let at = 0; at < count; at++) {
    const [make, craft] = random.pick(Object.entries(MAKES))
    const one = crafted(craft(random, random.pick(SIZES)), random.pick(BODIES))
    tally.count(make)
    const usual = ordinary.find(({ payload }) => payload === one.payload)
    await judge(make, judges, one, usual, worst, tally)
  }
  stop()
  const { kinds, ...report } = tally.report
  const most = `times what an ordinary one costs, at most: ${worst.make}`
  return { ...report, kinds: { ...kinds, [most]: worst.times.toFixed(1) } }
}

async function policyOfMany() {
  const signers = Object.entries(SIGNERS).map(async ([name, { count, algorithm, until }]) => {
    const keys = await Promise.all(Array.from({ length: count }, () => textOfKey(algorithm)))
    return { name, keys: keys.map((key) => (until ? { key, until } : key)) }
  })
  return readTrust({ signers: await Promise.all(signers) })
}

async function textOfKey(algorithm) {
  if (!algorithm) return toHex(generateKey().verifyingKey)
  const { verifyingKey } = await generateKey({ algorithm })
  return `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...verifyingKey))}\n-----END PUBLIC KEY-----`
}

async function ordinaryRequests(signingKey) {
  const given = { method: 'POST', url: `http://api.example${URL_PATH}`, headers: {} }
  return Promise.all(
    BODIES.map(async (body) => {
      const headers = await signRequest(given, { format: 'rfc9421', signingKey, keyId: 'k', body })
      return asked('ordinary', URL_PATH, Object.entries(headers), body)
    }),
  )
}

function crafted({ url = '/', format, headers }, body) {
  return asked(format, url, headers, body)
}

/** Returns a request as node:http delivers it, of at most 64 KiB. */
function asked(format, url, headers, payload) {
  const rawHeaders = ['Host', 'api.example']
  let left = LARGEST - payload.length - url.length
  for (const [name, value] of headers) {
    left -= name.length + value.length + 4
    if (left > 0) rawHeaders.push(name, value)
  }
  return {
    format,
    payload,
    input: { method: 'POST', url: url.slice(0, LARGEST - payload.length), rawHeaders },
  }
}

/** Measures the most expensive request so far again, until its cost is certain. */
async function judge(make, judges, one, usual, worst, tally) {
  tally.verdicts++
  const measure = () => cost(judges[one.format], one, tally)
  let [took, bar] = [await measure(), await cost(judges.ordinary, usual, tally)]
  for (let again = 0; again < AGAIN && took > worst.times * bar; again++) {
    took = Math.min(took, await measure())
    bar = Math.min(bar, await cost(judges.ordinary, usual, tally))
  }
  tally.slowest = Math.max(tally.slowest, took / 1000)
  const times = took / bar
  if (times > worst.times) Object.assign(worst, { times, make })
  if (times <= BOUND) return
  const what = `${make} costs ${times.toFixed(1)} times as much as an ordinary request (${took} and ${bar} µs)`
  tally.disagreement(what, one.input.rawHeaders.map(shown))
}

const shown = (text) => (text.length > 200 ? `${text.slice(0, 200)}… (${text.length})` : text)

/** Returns the cost in microseconds of all threads, because the body's digest runs on another one. */
async function cost(annotator, { format, payload, input }, tally) {
  const before = process.cpuUsage()
  const code = await annotator.isSatisfied({ payload, input }).then(() => '[genuine]', codeOf)
  const { user, system } = process.cpuUsage(before)
  if ((code === '[genuine]') !== (format === 'ordinary')) tally.disagreement(`told ${code}`, input)
  if (format !== 'ordinary') tally.outcome(format, code)
  return user + system
}

function codeOf(error) {
  if (error instanceof AlvariumError) return error.code
  throw error
}
