// Packs of 4 MiB that cost a verifier time, each with its own policy.

import { createHash, randomBytes } from 'node:crypto'
import {
  annotation,
  batch,
  bundle,
  checkpoint,
  classicMessage,
  ecSignerOf,
  leafOf,
  lease,
  levelsOf,
  pathOf,
  payloadKey,
  proof,
  rootOf,
  set,
  signerOf,
} from './forged.mjs'
import { zipOf } from './pack-makes.mjs'

const MIB = 1024 * 1024
export const PACK_BYTES = 4 * MIB
/** The bytes for the lists of the longest trust.json; the rest of the file has room besides. */
const POLICY_BYTES = 2 * MIB - 4096
/** The highest number of public keys in the policy of a pack. */
const KEYS = 4096
const PART_BYTES = MIB

/** Returns as many items as fit. @template T @param {number} bytes @param {(at: number) => T} one @returns {T[]} */
function filled(bytes, one, lengthOf = ({ length }) => length + 1) {
  const all = []
  for (let left = bytes; ; ) {
    const next = one(all.length)
    left -= lengthOf(next)
    if (left < 0) return all
    all.push(next)
  }
}
const texts = (bytes, one) => filled(bytes, one, (text) => Buffer.byteLength(JSON.stringify(text)) + 1)
const times = (count, one) => Array.from({ length: count }, (_, at) => one(at))

const canonical = (value) =>
  Array.isArray(value)
    ? `[${value.map(canonical).join(',')}]`
    : typeof value === 'object' && value !== null
      ? `{${Object.keys(value)
          .sort()
          .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
          .join(',')}}`
      : JSON.stringify(value)

const SCORE = {
  version: 1,
  weights: {},
  required: [],
  trust: [],
  repeats: 'once',
  ancestors: 'min',
  layers: 'own',
  unknown: 'lower',
}

/** Returns the file with a manifest that matches and an arbitrary verdict. */
export function packFile({
  about = { query: 'all' },
  score = {},
  trust,
  verdict = '{}',
  parts: more = [],
  ...lists
}) {
  const parts = [
    { name: 'score.json', content: Buffer.from(canonical({ ...SCORE, ...score })) },
    { name: 'trust.json', content: Buffer.from(JSON.stringify(trust)) },
  ]
  for (const kind of ['leases', 'checkpoints', 'sets', 'proofs', 'messages']) {
    for (const [at, content] of partsOf(lists[kind] ?? []).entries()) {
      parts.push({ name: `${kind}/${String(at).padStart(5, '0')}.ndjson`, content })
    }
  }
  parts.push(...more, { name: 'verdict.json', content: Buffer.from(verdict) })
  const listed = parts.map(({ name, content }) => ({
    bytes: content.length,
    name,
    sha256: createHash('sha256').update(content).digest('hex'),
  }))
  const manifest = { about, format: 'alvarium.Pack/1', made: '2026-11-28T10:00:00.000Z', parts: listed }
  return zipOf([...parts, { name: 'manifest.json', content: Buffer.from(canonical(manifest)) }])
}

function partsOf(lines) {
  const parts = []
  let [part, bytes] = [[], 0]
  for (const line of lines) {
    part.push(line, Buffer.from('\n'))
    bytes += line.length + 1
    if (bytes < PART_BYTES) continue
    parts.push(Buffer.concat(part))
    ;[part, bytes] = [[], 0]
  }
  return part.length > 0 ? [...parts, Buffer.concat(part)] : parts
}

const gateway = signerOf(1)
const device = signerOf(2)
const RUN = 'ab'.repeat(16)
const trusting = (more = {}) => ({ signers: [{ name: 'gateway-1', keys: [gateway.hex], ...more }] })
/** A policy that lets the gateway issue leases for a hundred years. */
const leasing = { ...trusting(), maxLeaseMs: 3_155_760_000_000 }
const rest = (lines) => PACK_BYTES - 16_384 - lines.reduce((sum, { length }) => sum + length + 1, 0)
const tagged = (count, tag) => times(count, (at) => annotation(at, { tag: tag(at) }))
const bundles = (bytes, said, signer = gateway) =>
  filled(bytes, (at) => bundle(signer, { key: payloadKey(at), ...said(at) }))
const long = (at) => `${'a'.repeat(1000)}${at.toString(36).padStart(6, '0').replaceAll('b', 'c')}z`
const half = PACK_BYTES / 2 - 16_384
const whole = PACK_BYTES - 16_384
const single = (leaf) => leaf.subarray(0, 8)
const listLine = (ids) => `bundles ${Buffer.concat(ids).toString('base64')}`
const anyIds = (count, from = 0) =>
  times(count, (at) =>
    createHash('sha256')
      .update(`${from + at}`)
      .digest()
      .subarray(0, 8),
  )

/** Returns messages of an honest author: a gateway's bundles, and the checkpoints that list them. */
export function honest(bytes = whole) {
  const said = (at) => ({
    key: payloadKey(at),
    timestamp: `2026-11-20T10:00:00.${String(at % 1_000_000).padStart(6, '0')}Z`,
    annotations: [annotation(2 * at, { tag: 'v1' }), annotation(2 * at + 1, { kind: 'tls', tag: 'v1' })],
  })
  const messages = filled(bytes * 0.98, (at) => bundle(gateway, said(at)))
  const leaves = messages.map((_, at) => leafOf(gateway, said(at)))
  const checkpoints = []
  for (let from = 0; from < leaves.length; from += 256) {
    const until = Math.min(leaves.length, from + 256)
    checkpoints.push(
      checkpoint(gateway, RUN, [listLine(leaves.slice(from, until).map(single))], {
        number: checkpoints.length,
        size: until,
        root: rootOf(leaves.slice(0, until)),
        from: { size: from, root: rootOf(leaves.slice(0, from)) },
        more: until === leaves.length ? ['end'] : [],
      }),
    )
  }
  const trust = trusting({ hosts: ['edge-*'], kinds: ['src', 'tls', 'pki*'], tags: ['v*'] })
  return { trust, checkpoints, messages }
}

/**
 * Returns the pack of an honest author with a key of P-256: messages alone, because only Ed25519 keys sign checkpoints.
 */
export function honestP256() {
  const signer = ecSignerOf()
  const said = (at) => ({
    annotations: [annotation(2 * at, { tag: 'v1' }), annotation(2 * at + 1, { kind: 'tls', tag: 'v1' })],
  })
  const trust = { signers: [{ name: 'gateway-1', keys: [signer.pem] }] }
  return { trust, messages: bundles(whole, said, signer) }
}

/** Patterns that are slow to compare with a text of many `a`; the last one matches. */
const slowPatterns = [...times(7, (at) => `*${'a'.repeat(300 + at)}b${'a'.repeat(300)}*`), '*z*']

/** @type {Record<string, () => Record<string, unknown>>} */
export const MAKES = {
  'patterns of many stars': () => {
    const tags = texts(POLICY_BYTES, (at) => `*${'a*'.repeat(480)}b${at.toString(36)}*`)
    const messages = bundles(half, (at) => ({ annotations: tagged(64, (index) => long(64 * at + index)) }))
    return { trust: trusting({ tags: [...tags, '*z'] }), messages }
  },
  'as many patterns as are allowed': () => {
    const messages = bundles(whole, (at) => ({ annotations: tagged(64, (index) => long(64 * at + index)) }))
    return { trust: trusting({ tags: slowPatterns }), messages }
  },
  'as many patterns for short texts': () => {
    const list = [
      ...times(7, (at) => `*a${at}*`),
      '*',
      ...times(900, (at) => `a${at}b*`),
      ...times(90, (at) => `*b${at}`),
    ]
    const messages = bundles(whole, (at) => ({
      annotations: times(256, (index) =>
        annotation(index, { kind: `${at}aaaa${index}`, tag: `${index}aaaa${at}` }),
      ),
    }))
    return { trust: trusting({ kinds: list, tags: list, hosts: list }), messages }
  },
  'patterns that begin alike': () => {
    const tags = times(999, (at) => `${'a'.repeat(at + 1)}b${at}*`)
    const messages = bundles(whole, (at) => ({ annotations: tagged(64, (index) => long(64 * at + index)) }))
    return { trust: trusting({ tags: [...tags, '*z'] }), messages }
  },
  'patterns that end alike': () => {
    const tags = times(999, (at) => `*x${'a'.repeat(at + 1)}`)
    const messages = bundles(whole, (at) => ({
      annotations: tagged(64, (index) => long(64 * at + index).replace(/^(a+)(.*)z$/, '$2$1')),
    }))
    return { trust: trusting({ tags: [...tags, '*a'] }), messages }
  },
  'lists of many texts, refused': () => {
    const kinds = texts(POLICY_BYTES, (at) => `${'k'.repeat(200)}${at}`).slice(0, 10_000)
    const messages = bundles(half, (at) => ({
      annotations: [annotation(at, { kind: `${'k'.repeat(200)}x` })],
    }))
    return { trust: trusting({ kinds }), messages }
  },
  'refused for a long list': () => {
    const hosts = texts(POLICY_BYTES, (at) => `${'\u0001'.repeat(200)}${at}`).slice(0, 10_000)
    return { trust: trusting({ hosts }), messages: bundles(half, () => ({ host: '\u0001'.repeat(255) })) }
  },
  'many signers': () => {
    const signers = times(KEYS, (at) => signerOf(1000 + at))
    const listed = signers.map(({ hex }, at) => ({ name: `s${at}`, keys: [hex] }))
    const messages = filled(whole - 400_000, (at) =>
      bundle(signers[at % listed.length], { key: payloadKey(at) }),
    )
    return { trust: { signers: listed }, messages }
  },
  'signers of many keys': () => {
    const keys = times(15 * 256, (at) => signerOf(1000 + at).hex)
    const signers = times(15, (at) => ({ name: `s${at}`, keys: keys.slice(256 * at, 256 * (at + 1)) }))
    return { trust: { signers: [...signers, ...trusting().signers] }, messages: bundles(half, () => ({})) }
  },
  'a policy with nothing but mistakes': () => {
    const names = Object.fromEntries(times(900, (at) => [`${'n'.repeat(40)}${at}`, 0]))
    const hosts = times(10_000, (at) => `\\${'x'.repeat(80)}${at}`)
    return {
      trust: { signers: [{ name: 'a', keys: [gateway.hex], hosts, kinds: hosts.slice(0, 5000), ...names }] },
      messages: bundles(half, () => ({})),
    }
  },
  'a policy with names that are not known': () => {
    const names = Object.fromEntries(times(900, (at) => [`kinds${at}`, 0]))
    const hosts = times(10_000, (at) => `${'x'.repeat(40)}${at}`)
    return {
      trust: {
        signers: [
          { name: 'a', keys: [gateway.hex], hosts, kinds: hosts, tags: hosts, sets: hosts, ...names },
        ],
      },
      messages: bundles(half, () => ({})),
    }
  },
  'many revocations of leases': () => {
    const revokedLeases = times(1000, (at) => ({
      serial: (10_000_000 + at).toString(16).padStart(32, '0'),
      since: '2026-01-01T00:00:00Z',
    }))
    const leases = filled(half, (at) => lease(gateway, signerOf(5000 + at), at))
    return { trust: trusting({ revokedLeases }), leases, messages: bundles(half / 4, () => ({})) }
  },
  'leases that allow nothing': () => {
    const leases = filled(half, (at) => lease(gateway, device, at, { hosts: ['none'] }))
    return { trust: leasing, leases, messages: bundles(half, () => ({}), device) }
  },
  'leases of many issuers that allow nothing': () => {
    const issuers = times(16, (at) => signerOf(100 + at))
    const signers = issuers.map(({ hex }, at) => ({ name: `s${at}`, keys: [hex] }))
    const leases = filled(half, (at) => lease(issuers[at % 16], device, at, { hosts: ['none'] }))
    return { trust: { signers }, leases, messages: bundles(half, () => ({}), device) }
  },
  'leases of many patterns': () => {
    const tags = (at) => times(56, (index) => `*${'a*'.repeat(500)}b${(56 * at + index).toString(36)}*`)
    const leases = filled(half, (at) => lease(gateway, device, at, { tags: tags(at) }))
    const messages = bundles(
      half,
      (at) => ({ annotations: tagged(64, (index) => long(64 * at + index)) }),
      device,
    )
    return { trust: leasing, leases, messages }
  },
  'leases of as many patterns as are allowed': () => {
    const issuers = times(16, (at) => signerOf(100 + at))
    const signers = issuers.map(({ hex }, at) => ({ name: `s${at}`, keys: [hex], tags: slowPatterns }))
    const refusing = [...slowPatterns.slice(0, 7), '*y']
    const leases = filled(half / 2, (at) => lease(issuers[at % 16], device, at, { tags: refusing }))
    const messages = bundles(
      rest(leases),
      (at) => ({ annotations: tagged(64, (index) => long(64 * at + index)) }),
      device,
    )
    return { trust: { signers }, leases, messages }
  },
  'many leases of one issuer': () => ({
    trust: trusting(),
    leases: filled(whole, (at) => lease(gateway, signerOf(5000 + at), at)),
    messages: bundles(20_000, () => ({})),
  }),
  'leases that state one log': () => {
    const root = 'ab'.repeat(32)
    const leases = filled(half, (at) =>
      lease(gateway, device, at, { log: { run: RUN, size: 1 + (at % 5), root } }),
    )
    const checkpoints = filled(half / 2, (at) =>
      checkpoint(device, RUN, [], {
        number: at,
        peaks: [],
        since: '2026-11-20T10:00:00.000000Z',
        root: rootOf([]),
      }),
    )
    return { trust: leasing, leases, checkpoints, messages: bundles(half / 2, () => ({}), device) }
  },
  'a long checkpoint, and many with its number': () => {
    const ids = anyIds(16_384)
    const first = times(16_384, (at) => `batch 2 ${ids[at].toString('base64')}`)
    const one = checkpoint(gateway, RUN, first, { size: ids.length, root: rootOf(ids) })
    const many = filled(whole - one.length, () => checkpoint(gateway, RUN, [], { root: rootOf([]) }))
    return { trust: trusting(), checkpoints: [one, ...many] }
  },
  'long checkpoints with one number': () => {
    const lists = filled(whole, (at) => {
      const ids = anyIds(16_384, 16_384 * at)
      return checkpoint(gateway, RUN, [listLine(ids)], { size: ids.length, root: rootOf(ids) })
    })
    return { trust: trusting(), checkpoints: lists }
  },
  'checkpoints with long lists': () => {
    const checkpoints = filled(whole, (at) => {
      const ids = anyIds(16_384, 16_384 * at)
      const said = {
        number: at,
        size: 16_384 * (at + 1),
        root: rootOf(ids),
        from: { size: 16_384 * at, root: at ? rootOf(anyIds(16_384, 16_384 * (at - 1))) : rootOf([]) },
      }
      return checkpoint(gateway, RUN, [listLine(ids)], said)
    })
    return {
      about: { log: { signer: gateway.id, run: RUN, from: 0, until: 1_000_000 } },
      trust: trusting(),
      checkpoints,
    }
  },
  'checkpoints with a batch a line': () => {
    const checkpoints = filled(whole, (at) => {
      const ids = anyIds(16_384, 16_384 * at)
      const said = {
        number: at,
        size: 16_384 * (at + 1),
        root: rootOf(ids),
        from: { size: 16_384 * at, root: at ? rootOf(anyIds(16_384, 16_384 * (at - 1))) : rootOf([]) },
      }
      return checkpoint(
        gateway,
        RUN,
        ids.map((id) => `batch 2 ${id.toString('base64')}`),
        said,
      )
    })
    return { trust: trusting(), checkpoints }
  },
  'checkpoints with many ranges': () => {
    const root = createHash('sha256').update('x').digest()
    const ranges = times(16_384, (at) => `${3 * at}-${3 * at + 1}`).join(' ')
    const checkpoints = filled(whole, (at) =>
      checkpoint(gateway, RUN, [], {
        number: at + 1,
        size: 60_000,
        root,
        from: { size: 60_000, root },
        more: [`pending ${ranges}`, `refused ${ranges}`],
      }),
    )
    return { trust: trusting(), checkpoints }
  },
  'lists and ranges of everything': () => {
    const ids = anyIds(16_384)
    const first = checkpoint(gateway, RUN, [listLine(ids)], { size: ids.length, root: rootOf(ids), more: [] })
    const ranges = times(8192, (at) => `${2 * at}`).join(' ')
    const checkpoints = filled(whole - first.length, (at) =>
      checkpoint(gateway, RUN, [], {
        number: at + 1,
        size: ids.length,
        root: rootOf(ids),
        from: { size: ids.length, root: rootOf(ids) },
        more: [`pending ${ranges}`, `refused ${ranges}`],
      }),
    )
    return { trust: trusting(), checkpoints: [first, ...checkpoints] }
  },
  'a run for each checkpoint': () => {
    const runOf = (at) => at.toString(16).padStart(32, '0')
    const checkpoints = filled(half, (at) => {
      const id = anyIds(1, at)
      return checkpoint(gateway, runOf(at), [listLine(id)], {
        size: 1,
        root: rootOf(id),
        after: { run: runOf(0), size: at, root: createHash('sha256').update(`${at}`).digest() },
      })
    })
    return { trust: trusting(), checkpoints, messages: bundles(half, () => ({})) }
  },
  'checkpoints of one message': () => {
    const checkpoints = filled(half, (at) => {
      const id = anyIds(1, at)
      return checkpoint(gateway, RUN, [listLine(id)], {
        number: at,
        size: at + 1,
        root: createHash('sha256').update(`${at}`).digest(),
        from: {
          size: at,
          root: at
            ? createHash('sha256')
                .update(`${at - 1}`)
                .digest()
            : rootOf([]),
        },
      })
    })
    return {
      about: { log: { signer: gateway.id, run: RUN, from: 0, until: 1000 } },
      trust: trusting(),
      checkpoints,
      messages: bundles(half, () => ({})),
    }
  },
  'checkpoints with peaks': () => {
    const leaves = times(16_384, (at) => createHash('sha256').update(`${at}`).digest())
    const checkpoints = filled(whole, () =>
      checkpoint(gateway, RUN, [listLine(leaves)], { size: leaves.length, root: rootOf(leaves), peaks: [] }),
    )
    return { trust: trusting(), checkpoints }
  },
  'many sets': () => ({
    trust: trusting({ sets: ['*'] }),
    sets: filled(
      whole,
      (at) =>
        set(gateway, {
          name: `bundles of sha256 ${payloadKey(at)}`,
          size: 1,
          root: createHash('sha256').update(`${at}`).digest(),
        }).line,
    ),
    messages: bundles(20_000, () => ({})),
  }),
  'many proofs': () => {
    const keys = times(9000, payloadKey).sort()
    const levels = levelsOf(keys)
    const root = levels.at(-1)[0]
    const { id, line } = set(gateway, { size: keys.length, root })
    const proofs = filled(whole, (at) => {
      const index = at % keys.length
      return proof(id, keys[index], { root, index, path: pathOf(levels, index) })
    })
    return {
      about: { set: id },
      trust: trusting(),
      sets: [line],
      proofs,
      messages: bundles(1000, () => ({})),
    }
  },
  'proofs that lead nowhere': () => {
    const root = createHash('sha256').update('x').digest()
    const { id, line } = set(gateway, { size: Number.MAX_SAFE_INTEGER, root })
    const path = times(53, (at) => createHash('sha256').update(`${at}`).digest())
    const proofs = filled(whole, (at) => proof(id, payloadKey(at), { root, index: 1 + at, path }))
    return { trust: trusting(), sets: [line], proofs, messages: bundles(1000, () => ({})) }
  },
  'proofs that nest deep': () => ({
    trust: trusting(),
    proofs: filled(whole, () =>
      Buffer.from(
        `{"set":"${'ab'.repeat(32)}","key":"${payloadKey(1)}","proof":${'{"a":'.repeat(2600)}1${'}'.repeat(2600)}}`,
      ),
    ),
    messages: bundles(1000, () => ({})),
  }),
  'proofs of many names': () => ({
    trust: trusting(),
    proofs: filled(whole, () =>
      Buffer.from(
        `{"set":"${'ab'.repeat(32)}","key":"${payloadKey(1)}","proof":{${times(1500, (at) => `"n${at}":1`).join()}}}`,
      ),
    ),
    messages: bundles(1000, () => ({})),
  }),
  'a chain of ancestors': () => {
    const messages = filled(whole, (at) =>
      bundle(gateway, { action: 'mutate', key: payloadKey(at), previousKey: payloadKey(at + 1) }),
    )
    return {
      about: { payload: { hash: 'sha256', key: payloadKey(0) } },
      score: { ancestors: 'product' },
      trust: trusting(),
      messages,
    }
  },
  'ancestors that all know each other': () => {
    const keys = times(40, payloadKey)
    const inputs = times(16, (of) =>
      keys.map((key) => ({ hash: 'sha256', key })).concat([{ hash: 'sha256', key: payloadKey(1000 + of) }]),
    )
    const messages = filled(whole, (at) =>
      bundle(gateway, {
        action: 'mutate',
        key: payloadKey(at % 500),
        inputs: inputs[at % 16],
        annotations: [annotation(at)],
      }),
    )
    return {
      about: { payload: { hash: 'sha256', key: payloadKey(0) } },
      score: { ancestors: 'product' },
      trust: trusting(),
      messages,
    }
  },
  'many inputs': () => {
    const inputs = times(35_000, (at) => ({ hash: 'sha256', key: payloadKey(at) }))
    const one = bundle(gateway, { action: 'mutate', key: payloadKey('all'), inputs })
    return {
      about: { payload: { hash: 'sha256', key: payloadKey('all') } },
      score: { ancestors: 'product' },
      trust: trusting(),
      messages: [one],
    }
  },
  'short inputs': () => {
    const inputs = times(65_536, (at) => ({ hash: 'none', key: `${at}` }))
    const messages = filled(whole, (at) =>
      bundle(gateway, { action: 'mutate', key: payloadKey('all'), inputs, annotations: [annotation(at)] }),
    )
    return {
      about: { payload: { hash: 'sha256', key: payloadKey('all') } },
      score: { ancestors: 'product' },
      trust: trusting(),
      messages,
    }
  },
  'a set as input, again and again': () => {
    const keys = times(4000, payloadKey).sort()
    const levels = levelsOf(keys)
    const root = levels.at(-1)[0]
    const { id, line } = set(gateway, { size: keys.length, root })
    const proofs = keys.map((key, index) => proof(id, key, { root, index, path: pathOf(levels, index) }))
    const one = bundle(gateway, {
      action: 'mutate',
      key: payloadKey('all'),
      inputs: times(Math.floor((rest(proofs) - 2000) / 75), () => ({ set: id })).slice(0, 65_536),
    })
    return {
      about: { payload: { hash: 'sha256', key: payloadKey('all') } },
      trust: trusting(),
      sets: [line],
      proofs,
      messages: [one],
    }
  },
  'one huge batch': () => {
    const all = times(18_000, (at) => ({ key: payloadKey(at), annotations: [] }))
    return { trust: trusting(), messages: [batch(gateway, all)] }
  },
  'a batch of the smallest bundles': () => {
    const all = times(30_000, (at) => ({ hash: 'none', key: `${at}`, host: '', annotations: [] }))
    return { trust: trusting(), messages: [batch(gateway, all)] }
  },
  'a batch with a bad signature': () => {
    const one = batch(
      gateway,
      times(18_000, (at) => ({ key: payloadKey(at), annotations: [] })),
    )
    one.write('00', one.indexOf('"signature":"') + 13)
    return { trust: trusting(), messages: [one] }
  },
  'a batch that ends badly': () => {
    const one = batch(
      gateway,
      times(18_000, (at) => ({ key: payloadKey(at), annotations: [] })),
    )
    one.write('x', one.length - 10)
    return { trust: trusting(), messages: [one] }
  },
  'a batch with refused hosts': () => {
    const all = times(18_000, (at) => ({
      key: payloadKey(at),
      host: at < 17_999 ? 'edge-7' : 'x',
      annotations: [],
    }))
    return { trust: trusting({ hosts: ['edge-7'] }), messages: [batch(gateway, all)] }
  },
  'bundles without annotations': () => ({
    trust: trusting(),
    messages: bundles(whole, () => ({ host: '', annotations: [] })),
  }),
  'messages of unknown signers': () => ({ trust: trusting(), messages: bundles(whole, () => ({}), device) }),
  'messages with bad signatures': () => ({
    trust: trusting(),
    messages: bundles(whole, () => ({ annotations: [] })).map((one) =>
      Buffer.from(one.toString().replace(/"signature":"../, '"signature":"00')),
    ),
  }),
  'messages of nothing but spaces': () => ({
    trust: trusting(),
    messages: filled(whole, () => Buffer.alloc(64, ' ')),
  }),
  'lines of two bytes': () => ({ trust: trusting(), messages: filled(whole, () => Buffer.from('a')) }),
  'lines of two bytes of each kind': () => {
    const lines = filled(whole / 5, () => Buffer.from('a'))
    const some = lines.concat(lines).slice(0, 530_000)
    return { trust: trusting(), leases: some, checkpoints: some, sets: some, messages: some }
  },
  'lines of 64 bytes of each kind': () => {
    const lines = filled(PART_BYTES + 100, () =>
      Buffer.from(`{"messageType":"alvarium.Lease/1","content":{${'x'.repeat(19)}}}`),
    )
    return { trust: trusting(), leases: lines, checkpoints: lines, sets: lines, messages: lines }
  },
  'a line of nothing but brackets': () => ({ trust: trusting(), messages: [Buffer.alloc(whole, '[')] }),
  'lines of brackets': () => ({
    trust: trusting(),
    messages: filled(whole, () => Buffer.alloc(60_000, '[')),
  }),
  'a line of zeros': () => ({ trust: trusting(), messages: [Buffer.alloc(whole)] }),
  'lines of JSON that is no message': () => ({
    trust: trusting(),
    messages: filled(whole, () =>
      Buffer.from(`{"action":1,"messageType":2,"content":{${times(500, (at) => `"n${at}":1`).join()}}}`),
    ),
  }),
  'classic messages of unknown signers': () => {
    const keys = times(4000, (at) => signerOf(1000 + at).hex)
    const signers = times(16, (at) => ({ name: `s${at}`, keys: keys.slice(250 * at, 250 * (at + 1)) }))
    const messages = filled(whole - 330_000, (at) => classicMessage(device, [annotation(at)]))
    return { trust: { signers }, messages }
  },
  'classic messages of many annotations': () => {
    const messages = filled(whole, (at) =>
      classicMessage(
        device,
        times(256, (index) => annotation(256 * at + index)),
      ),
    )
    return { trust: trusting(), messages }
  },
  'classic messages with bad signatures': () => ({
    trust: trusting(),
    messages: filled(whole, (at) => classicMessage(device, [annotation(at)])),
  }),
  'classic messages of nothing': () => ({
    trust: trusting(),
    messages: filled(whole, () => classicMessage(device, [])),
  }),
  'classic messages of several signers': () => {
    const signers = times(256, (at) => signerOf(1000 + at))
    const trust = { signers: signers.map(({ hex }, at) => ({ name: `s${at}`, keys: [hex] })) }
    const messages = filled(whole - 30_000, (at) => {
      const one = (index) =>
        JSON.parse(
          Buffer.from(
            JSON.parse(
              classicMessage(signers[(index * 37 + at) % 256], [annotation(256 * at + index)]).toString(),
            ).content,
            'base64',
          ).toString(),
        ).items[0]
      const content = Buffer.from(
        `{"items":[${times(64, (index) => JSON.stringify(one(index))).join()}]}`,
      ).toString('base64')
      return Buffer.from(
        JSON.stringify({ action: 'create', messageType: 'contracts.AnnotationList', content }),
      )
    })
    return { trust, messages }
  },
  'many kinds': () => ({
    trust: trusting(),
    messages: bundles(whole, (at) => ({
      annotations: times(256, (index) => annotation(index, { kind: `k${256 * at + index}` })),
    })),
  }),
  'many rules for many kinds': () => {
    const kind = (at) => `${'k'.repeat(30)}${String(at).padStart(6, '0')}`
    const trust = times(1000, (at) => ({
      trust: 0.0001,
      signer: 'gateway-1',
      host: 'edge-7',
      layer: 'app',
      kind: kind(1_000_000 - at),
    }))
    const weights = Object.fromEntries(times(1000, (at) => [kind(at), 1]))
    return {
      score: { trust, weights, required: times(1000, kind) },
      trust: trusting(),
      messages: bundles(whole - 200_000, (at) => ({
        key: payloadKey(at % 1000),
        annotations: times(200, (index) => annotation(index, { kind: kind(200 * at + index) })),
      })),
    }
  },
  'required kinds of many payloads': () => ({
    score: { required: times(1000, (at) => `k${String(at).padStart(4, '0')}`) },
    trust: trusting(),
    messages: [
      batch(
        gateway,
        times(24_000, (at) => ({ hash: 'none', key: `${at}`, host: '', annotations: [] })),
      ),
    ],
  }),
  'everything about one payload': () => ({
    about: { payload: { hash: 'sha256', key: payloadKey(0) } },
    score: { repeats: 'each' },
    trust: trusting(),
    messages: bundles(whole, (at) => ({
      key: payloadKey(0),
      host: `${at}`,
      annotations: times(16, (index) => annotation(index, { kind: `k${16 * at + index}`, tag: `${at}` })),
    })),
  }),
  'long tags': () => ({
    trust: trusting(),
    messages: bundles(whole, (at) => ({ annotations: tagged(256, (index) => long(256 * at + index)) })),
  }),
  'long payload keys': () => ({
    trust: trusting(),
    messages: bundles(whole, (at) => ({ hash: 'none', key: `${at}${'x'.repeat(65_000)}` })),
  }),
  'everything escaped': () => ({
    trust: trusting(),
    messages: bundles(whole, (at) => ({
      hash: 'none',
      key: `${at}${'\u0001'.repeat(10_000)}`,
      annotations: tagged(8, () => '\u0002'.repeat(1000)),
    })),
  }),
  'times in other offsets': () => ({
    trust: trusting({ from: '2020-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z' }),
    messages: bundles(whole, () => ({ timestamp: '2026-11-20T10:00:60.123456789+01:00', annotations: [] })),
  }),
  'one message, again and again': () => {
    const one = bundle(gateway, {})
    return { trust: trusting(), messages: filled(whole, () => one) }
  },
  'a verdict as long as the rest': () => ({
    trust: trusting(),
    messages: bundles(1000, () => ({})),
    verdict: randomBytes(1_500_000).toString('hex') + randomBytes(500_000).toString('hex'),
  }),
  'a verdict of as many names as may be': () => ({
    trust: trusting(),
    messages: bundles(1000, () => ({})),
    verdict: JSON.stringify(Object.fromEntries(times(9900, (at) => [`${'n'.repeat(90)}${at}`, [at]]))),
  }),
  'a verdict that nests deep': () => ({
    trust: trusting(),
    messages: bundles(1000, () => ({})),
    verdict: `{"lines":${'['.repeat(9000)}${']'.repeat(9000)}}`,
  }),
  'the longest query': () => ({
    about: { query: '\u0001'.repeat(1024) },
    trust: trusting(),
    messages: bundles(whole, (at) => ({ key: payloadKey(at % 2) })),
  }),
  'parts of one line': () => ({
    trust: trusting(),
    parts: times(15_000, (at) => ({
      name: `messages/${String(at).padStart(5, '0')}.ndjson`,
      content: Buffer.from(`${'x'.repeat(120)}\n`),
    })),
  }),
  'a log that forks at each size': () => {
    const said = (at) => {
      const rootAt = (size) => (size ? digestOf(`${size} ${at % 2}`) : rootOf([]))
      const [from, number] = [at >> 1, at >> 1]
      return { number, size: from + 1, root: rootAt(from + 1), from: { size: from, root: rootAt(from) } }
    }
    const checkpoints = filled(whole, (at) => checkpoint(gateway, RUN, [listLine(anyIds(1, at))], said(at)))
    return {
      about: { log: { signer: gateway.id, run: RUN, from: 0, until: 1000 } },
      trust: trusting(),
      checkpoints,
    }
  },
  'a gap behind each checkpoint': () => {
    const checkpoints = filled(half, (at) => {
      const [size, root] = [1 + 1000 * at, digestOf(`${at}`)]
      const from = at ? { size: size - 1, root: digestOf(`before ${at}`) } : { size: 0, root: rootOf([]) }
      return checkpoint(gateway, RUN, [listLine(anyIds(1, at))], { number: 2 * at, size, root, from })
    })
    return { about: spanOf(gateway), trust: trusting(), checkpoints, messages: bundles(half, () => ({})) }
  },
  'the largest counts': () => {
    const checkpoints = filled(whole, (at) => {
      const ids = anyIds(16_384, 16_384 * at)
      const rootAt = (size) => (size ? digestOf(`${size}`) : rootOf([]))
      const [before, size] = [16_384 * at, 16_384 * (at + 1)]
      const said = { number: at, size, root: rootAt(size), from: { size: before, root: rootAt(before) } }
      return checkpoint(
        gateway,
        RUN,
        ids.map((id) => `batch 65536 ${id.toString('base64')}`),
        said,
      )
    })
    return { about: spanOf(gateway), trust: trusting(), checkpoints }
  },
  'ids of lists that begin alike': () => {
    const checkpoints = filled(whole, (at) => {
      const ids = anyIds(16_384, 16_384 * at).map((id) => Buffer.concat([Buffer.of(0, 0), id.subarray(2)]))
      const rootAt = (size) => (size ? digestOf(`${size}`) : rootOf([]))
      const [before, size] = [16_384 * at, 16_384 * (at + 1)]
      const said = { number: at, size, root: rootAt(size), from: { size: before, root: rootAt(before) } }
      return checkpoint(gateway, RUN, [listLine(ids)], said)
    })
    return { about: spanOf(gateway), trust: trusting(), checkpoints }
  },
  'a chain of runs': () => ({
    about: spanOf(gateway),
    trust: trusting(),
    checkpoints: runsAfter((at) => at - 1),
  }),
  'runs that all name one': () => ({
    about: spanOf(gateway),
    trust: trusting(),
    checkpoints: runsAfter((at) => (at ? 0 : -1)),
  }),
  'checkpoints that come too late': () => {
    const leases = filled(20_000, (at) =>
      lease(gateway, device, at, { log: { run: RUN, size: 1 + at, root: 'ab'.repeat(32) } }),
    )
    const checkpoints = filled(rest(leases), (at) =>
      checkpoint(device, RUN, [], {
        number: at,
        root: rootOf([]),
        at: '2026-11-27T10:00:01.000000Z',
        peaks: [],
      }),
    )
    return { trust: leasing, leases, checkpoints }
  },
  'seals of one payload': () => {
    const name = `bundles of sha256 ${payloadKey(0)}`
    const sets = filled(
      whole,
      (at) => set(gateway, { name, size: 1 + (at % 2), root: digestOf(`${at}`) }).line,
    )
    const about = { payload: { hash: 'sha256', key: payloadKey(0) } }
    return { about, trust: trusting({ sets: ['*'] }), sets, messages: bundles(20_000, () => ({})) }
  },
  'messages of P-256': () => {
    const signer = ecSignerOf()
    const trust = { signers: [{ name: 'gateway-1', keys: [signer.pem] }] }
    return { trust, messages: bundles(whole, () => ({}), signer) }
  },
}

const digestOf = (text) => createHash('sha256').update(text).digest()

function spanOf({ id }) {
  return { signer: { id, from: '2000-01-01T00:00:00.000000Z', until: '2100-01-01T00:00:00.000000Z' } }
}

/**
 * Returns runs of one message, each of which names another run as its predecessor.
 *
 * @param {(at: number) => number} before
 */
function runsAfter(before) {
  const runOf = (at) => at.toString(16).padStart(32, '0')
  return filled(whole, (at) => {
    const id = anyIds(1, at)
    const after =
      before(at) < 0 ? undefined : { run: runOf(before(at)), size: 1, root: rootOf(anyIds(1, before(at))) }
    return checkpoint(gateway, runOf(at), [listLine(id)], { size: 1, root: rootOf(id), after })
  })
}
