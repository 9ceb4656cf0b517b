// @slow: it calls each public function with a secret in each place
// @node-only: it reads the types of the package
// @own-process: it changes the folder of the process, and watches its console

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keyring, memory, source, toHex, verifyMessage } from 'alvarium-sdk'
import { Completeness } from 'alvarium-sdk/completeness'
import { BundleGraph, readPolicy } from 'alvarium-sdk/score'
import { sealSet, verifySet } from 'alvarium-sdk/sets'
import { openStore } from 'alvarium-sdk/store'
import { readTrust } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { NAMES } from '../../js/build/package/names.mjs'
import { utf8 } from '../support/bytes.js'
import { type Callable, callablesOf, type Place } from '../support/parameters.js'
import { key, keyring, opened } from '../support/sdk.js'
import { SECRET_VALUES, secretIn, shownOf, TOKEN } from '../support/secrets.js'

const ENTRIES = new Map(Object.entries(NAMES).map(([name, path]) => [name, `${path}.d.ts`]))
/** Interfaces and classes whose methods are called; `instances` has an object of each. */
const OWNERS = ['Sdk', 'Keyring', 'Completeness', 'BundleGraph', 'Trust', 'KeyList', 'Store']

/** Functions that are not called, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  AlvariumError: 'has the text that it is given',
  addEventListener: 'is of the platform',
  removeEventListener: 'is of the platform',
  useCore: 'replaces the core of this process',
  useAlgorithms: 'replaces the algorithms of this process',
  consoleStream: 'writes messages to the console',
}

/** Places of values that the package creates itself: `readPolicy` has checked this policy. */
const MADE_HERE = /^scorePayload(InTurns)? 1\./

const CALLABLES = callablesOf(ENTRIES, OWNERS).filter(
  ({ name, places }) => places.length > 0 && !(name in LEFT_OUT) && !name.endsWith('Event'),
)
const instances = new Map<string, object>()
const baseArguments = new Map<string, readonly unknown[]>()
const url = 'mqtt://127.0.0.1:1'
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alvarium-secrets-'))
  process.chdir(folder)
  const { sdk } = await opened([source()])
  const { message } = await sdk.create(utf8('a'))
  const bundle = await verifyMessage(message, { keyring })
  const records = ['a', 'b'].map(utf8)
  const list = utf8('list')
  const sealing = { signingKey: key.signingKey, name: 'readings' }
  const set = await sealSet(records, sealing)
  const store = await openStore('memory:', { keyring })
  const trust = await readTrust({ signers: [{ name: 'hall', keys: [toHex(key.verifyingKey)] }] })
  const keyList = set.list
  const verified = await verifySet(set.message, { keyring })
  const fabric = new BundleGraph()
  fabric.add(bundle)
  const request = { method: 'POST', url: 'https://example.com/a', headers: {}, body: utf8('a') }
  const ring = new Keyring([key.verifyingKey])
  const objects = {
    Sdk: sdk,
    Keyring: ring,
    Store: store,
    Trust: trust,
    BundleGraph: fabric,
    KeyList: keyList,
    Completeness: new Completeness(),
  }
  for (const [name, object] of Object.entries(objects)) instances.set(name, object)
  const options = { keyring }
  for (const [name, args] of Object.entries({
    openSdk: [{ signingKey: key.signingKey, annotators: [source()], stream: memory() }],
    subscribe: [{ url, topic: 'readings', keyring, durable: false }],
    mqtt: [{ url, topic: 'readings' }],
    checkBroker: [{ url }],
    verifyMessage: [message, options],
    verifyMessages: [[message], options],
    verifyBatch: [message, options],
    verifyClassic: [message, options],
    extractBundle: [message, 0],
    serveStore: [store, { token: 'a-token-of-16-characters' }],
    sealSet: [records, sealing],
    openKeyList: [list],
    verifySet: [set.message, options],
    proveMember: [keyList, utf8('a')],
    proveAbsent: [keyList, utf8('c')],
    verifyMember: [verified, utf8('a'), utf8('{}')],
    verifyAbsent: [verified, utf8('c'), utf8('{}')],
    signRequest: [request, sealing],
    verifyRequest: [request, { keys: { edge: key.verifyingKey } }],
    verifyResponse: [{ status: 200, headers: {}, body: utf8('a') }, { keys: { edge: key.verifyingKey } }],
    makePack: [[message], { trust: { signers: [] } }],
    issueLease: [key.signingKey, { verifyingKey: key.verifyingKey, name: 'hall', forMs: 1000 }],
    readRecords: [utf8('a\nb\n'), { format: 'lines' }],
    check: [utf8('a\n'), [message], options],
    readPolicy: [{ version: 1 }],
    scorePayload: [fabric.scoringInput(bundle), readPolicy({ version: 1, weights: { src: 1 } })],
    outbox: [{ stream: memory(), path: 'outbox' }],
    openStore: ['memory:', options],
    readKey: ['own.key', {}],
    toInToto: [[bundle], { signingKey: key.signingKey }],
    toSigstoreBundle: [[bundle], { signingKey: key.signingKey, names: new Map() }],
    toJws: [utf8('a'), { signingKey: key.signingKey }],
    verifyJws: ['e30..AA', { keyring: [key.verifyingKey], payload: utf8('a') }],
    toOpenLineage: [[bundle], { producer: 'https://example.invalid/pipeline' }],
    signBytes: [key.signingKey, utf8('a')],
    verifyBytes: [key.verifyingKey, utf8('a'), new Uint8Array(64)],
    keyOf: [utf8('a'), 'sha256', {}],
    'Sdk.mutate': [utf8('a'), utf8('b'), {}],
    'Sdk.create': [utf8('a'), {}],
    'Sdk.createMany': [records, {}],
    'Store.about': [bundle],
    'Store.history': [bundle, {}],
    'Store.lineage': [bundle, {}],
    'Store.score': [bundle, { policy: readPolicy({ version: 1, weights: { src: 1 } }) }],
  }))
    baseArguments.set(name, args)
})
afterAll(async () => {
  process.chdir('/')
  await rm(folder, { recursive: true })
})

/**
 * Returns a copy of a value in which the place has another value. Objects of classes are not copied: the secret
 * replaces them.
 */
function withSecret(value: unknown, [step, ...rest]: Place, secret: unknown): unknown {
  if (step === undefined) return secret
  const isList = Array.isArray(value) || (value === undefined && step === 0)
  const copy = isList ? [...((value as unknown[]) ?? [])] : { ...(Object(value) as object) }
  Reflect.set(copy, step, withSecret(Reflect.get(Object(value), step), rest, secret))
  return copy
}

const nameOf = ({ owner, name }: Callable) => (owner === undefined ? name : `${owner}.${name}`)

async function functionOf({ entry, owner, name }: Callable): Promise<(...args: unknown[]) => unknown> {
  if (owner !== undefined) {
    const object = instances.get(owner) as object
    return (...args) => Reflect.apply(Reflect.get(object, name), object, args)
  }
  const module = await import(
    entry === 'default' ? 'alvarium-sdk' : `alvarium-sdk/${entry.replace('-', '/')}`
  )
  const called = Reflect.get(module, name)
  return /^class/.test(String(called)) ? (...args) => Reflect.construct(called, args) : called
}

/** Calls a function, and awaits its result unless that waits itself. Returns all text that its errors show. */
async function shownBy(call: () => unknown): Promise<string> {
  try {
    let result = call()
    if (typeof Reflect.get(Object(result), Symbol.asyncIterator) === 'function') {
      result = (result as AsyncIterable<unknown>)[Symbol.asyncIterator]().next()
    }
    const late = new Promise((resolve) => afterTurns(200, () => resolve('late')))
    const done = await Promise.race([result, late])
    const close = Reflect.get(Object(done), 'close')
    if (typeof close === 'function' && ![...instances.values()].includes(done as object)) {
      Promise.resolve(Reflect.apply(close, done, [])).catch(() => {})
    }
    return ''
  } catch (error) {
    return shownOf(error)
  }
}

function afterTurns(turns: number, act: () => void): void {
  if (turns === 0) act()
  else setImmediate(() => afterTurns(turns - 1, act))
}

// claim: security-10
it.each(CALLABLES.map((callable) => [nameOf(callable), callable] as const))(
  '%s shows no secret of any argument in an error',
  async (name, callable) => {
    const said: string[] = []
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      vi.spyOn(console, method).mockImplementation((...args) => void said.push(args.map(shownOf).join(' ')))
    }
    const call = await functionOf(callable)
    const found: unknown[] = []
    for (const place of callable.places.filter((one) => !MADE_HERE.test(`${name} ${one.join('.')}`))) {
      for (const [form, secret] of Object.entries(SECRET_VALUES)) {
        const args = withSecret(baseArguments.get(name) ?? [], place, secret) as unknown[]
        const shown = await shownBy(() => call(...args))
        const secretShown = secretIn([shown, ...said.splice(0)].join('\n'))
        if (secretShown !== undefined) found.push([place.join('.'), form, secretShown])
      }
    }
    vi.restoreAllMocks()
    expect(found).toEqual([])
  },
)

it('a PAYLOAD_MISMATCH error about a message with hash "none" does not contain the signed payload', async () => {
  const { sdk } = await opened([source()], { hash: 'none' })
  const { message } = await sdk.create(utf8(TOKEN))
  const error = await verifyMessage(message, { keyring, payload: utf8('another') }).catch((thrown) => thrown)
  expect(error.code).toBe('PAYLOAD_MISMATCH')
  expect(secretIn(shownOf(error))).toBeUndefined()
})
