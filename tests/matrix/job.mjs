// The job of every environment of the matrix: one function for each column of the table. It is copied into the
// projects, unchanged or as CommonJS, and imports nothing: each project imports the package in its own way.

/** A step that exceeds this time has failed. */
const LIMIT_MS = 100_000
/** The time for which one SDK is held open; the matrix inserts a longer one, unless it is short. */
const HELD_MS = 1000
/** Encodes text without TextEncoder, which Jest's environment of a page lacks. */
const bytes = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0))

/**
 * @param {object} given
 * @param {typeof import('alvarium-sdk')} given.sdk
 * @param {() => Promise<import('alvarium-sdk').WorkerPool>} [given.openPool] if the environment supports one
 * @param {string} given.broker URL of a broker, over WebSocket
 * @returns {Promise<Record<string, string>>} for each step `ok` or its error; also printed on the console
 */
export async function job({ sdk, openPool, broker }) {
  const { signingKey, verifyingKey } = sdk.generateKey()
  const its = {
    ...sdk,
    openPool,
    broker,
    signingKey,
    keyring: [verifyingKey],
    payload: bytes('{"celsius":21.4}'),
  }
  const results = {}
  for (const [name, step] of Object.entries({
    seal,
    refuse,
    batch,
    hold,
    sources,
    algorithms,
    pool,
    publish,
  })) {
    results[name] = await outcome(step, its)
  }
  console.log(`MATRIX ${JSON.stringify(results)}`)
  return results
}

async function outcome(step, its) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${LIMIT_MS / 1000} s`)), LIMIT_MS)
  })
  try {
    await Promise.race([step(its), late])
    return 'ok'
  } catch (error) {
    return `${error?.code ?? error?.name}: ${error?.message}`
  } finally {
    clearTimeout(timer)
  }
}

function expectEqual(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what}: expected ${wanted}, got ${found}`)
}

async function sealed({ openSdk, source, memory, signingKey, payload }, options = {}) {
  const sdk = await openSdk({
    signingKey,
    annotators: [source()],
    stream: memory(),
    host: 'matrix',
    ...options,
  })
  const { message } = await sdk.create(payload)
  await sdk.close()
  return message
}

async function seal(its) {
  const message = await sealed(its)
  const { annotations } = await its.verifyMessage(message, { keyring: its.keyring, payload: its.payload })
  expectEqual('kinds', annotations.map(({ kind }) => kind).join(), 'src')
}

async function refuse(its) {
  const text = String.fromCharCode(...(await sealed(its)))
  const altered = bytes(text.replace('"host":"matrix"', '"host":"elsewhere"'))
  const refused = await its.verifyMessage(altered, { keyring: its.keyring }).catch((error) => error)
  if (!(refused instanceof its.AlvariumError)) throw new Error(`expected an AlvariumError, got ${refused}`)
  expectEqual('code', refused.code, 'SIGNATURE_INVALID')
}

async function batch(its) {
  const { openSdk, source, memory, signingKey, keyring } = its
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), host: 'matrix' })
  const receipts = await sdk.createMany([bytes('one'), bytes('two'), bytes('three')])
  await sdk.close()
  expectEqual('bundles', (await its.verifyBatch(receipts[0].message, { keyring })).length, 3)
}

/** Holds one SDK open for as long as services do, which shows faults that appear later, or in a second turn. */
async function hold(its) {
  const { openSdk, source, memory, signingKey, payload } = its
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), host: 'matrix' })
  const many = Array.from({ length: 2000 }, () => payload)
  expectEqual('receipts', (await sdk.createMany(many)).length, many.length)
  for (const end = performance.now() + HELD_MS; performance.now() < end; ) {
    for (let call = 0; call < 50; call++) await sdk.create(payload)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await sdk.close()
}

/** Checks payloads in pieces: a complete one, and incomplete ones that must not be accepted. */
async function sources({ keyOf }) {
  const piece = bytes('21.4,')
  const reason = new Error('enough')
  async function* pieces(end = () => {}) {
    for (let at = 0; at < 1000; at++) yield piece
    await end()
  }
  const whole = bytes('21.4,'.repeat(1000))
  expectEqual('key', await keyOf(pieces()), keyOf(whole))
  if (typeof Blob === 'function' && Blob.prototype.arrayBuffer)
    expectEqual('key of a blob', await keyOf(new Blob([whole])), keyOf(whole))
  if (typeof Response === 'function')
    expectEqual('key of a stream', await keyOf(new Response(whole).body), keyOf(whole))
  const failing = pieces(() => {
    throw reason
  })
  const lying = Object.assign(pieces(), { size: whole.length + 1 })
  for (const source of [failing, lying]) {
    const { code } = await keyOf(source).catch((error) => error)
    expectEqual('code', code, 'PAYLOAD_INVALID')
  }
  const controller = new AbortController()
  const hanging = pieces(() => {
    controller.abort(reason)
    return new Promise(() => {})
  })
  const aborted = await keyOf(hanging, 'sha256', { signal: controller.signal }).catch((error) => error)
  expectEqual('reason', aborted, reason)
}

/** Loads the code for keys of another algorithm, in a bundle from a separate chunk. */
async function algorithms(its) {
  for (const algorithm of ['P-256', 'SM2']) {
    const { signingKey, verifyingKey } = await its.generateKey({ algorithm })
    const message = await sealed({ ...its, signingKey })
    const { host } = await its.verifyMessage(message, { keyring: [verifyingKey], payload: its.payload })
    expectEqual('host', host, 'matrix')
  }
}

async function pool(its) {
  if (!its.openPool) return
  const workers = await its.openPool()
  const message = await sealed(its, { pool: workers })
  const bundle = await its.verifyMessage(message, { keyring: its.keyring, pool: workers })
  await workers.close()
  expectEqual('host', bundle.host, 'matrix')
}

async function publish(its) {
  const topic = `matrix/${Math.random()}`
  const bundles = its.subscribe({ url: its.broker, topic, keyring: its.keyring, durable: false })
  await bundles.open()
  await sealed(its, { stream: its.mqtt({ url: its.broker, topic }) })
  for await (const { host } of bundles) {
    expectEqual('host', host, 'matrix')
    break
  }
  await bundles.close()
}
