// Bundles with inputs for inputs.mjs, and forgeries of them and of their proofs.

const textOf = (bytes) => Buffer.from(bytes).toString()
const readOf = (bytes) => JSON.parse(textOf(bytes))
const writtenOf = (value) => Buffer.from(JSON.stringify(value))

/**
 * Returns a number of inputs: one near a power of two, where a tree changes its shape, or a random one up to 600.
 *
 * @param {import('./random.mjs').Random} random
 */
export function countOf(random) {
  return random.pick([1, 2, 3, 4, 5, 7, 8, 9, 1 + random.below(40), 1 + random.below(600)])
}

/**
 * Returns bytes and names; some come twice, some differ only in spelling.
 *
 * @param {import('./random.mjs').Random} random
 */
export function inputsOf(random, count) {
  const inputs = []
  while (inputs.length < count) {
    const digits = Buffer.from(random.bytes(32)).toString('hex')
    inputs.push(
      random.pick([
        () => random.bytes(random.below(50)),
        () => ({ hash: 'sha256', key: digits.toUpperCase() }),
        () => ({ hash: 'none', key: digits.toUpperCase() }),
        () => ({ hash: 'md5', key: digits.slice(32).toUpperCase() }),
        () => ({ set: digits }),
        () => inputs.at(-1) ?? { set: digits },
      ])(),
    )
  }
  return inputs
}

const content = (change) => (random, message, other) => {
  const read = readOf(message)
  return writtenOf({ ...read, content: change(read.content, random, other && readOf(other).content) })
}
const inputs = (change) =>
  content((one, random, other) => ({ ...one, inputs: change([...one.inputs], random, other) }))

/** Forgeries of a whole message. Each gets the random numbers, the message, and another one by the same signer. */
export const ALTERATIONS = {
  'one is left out': inputs((all, random) => all.toSpliced(random.below(all.length), 1)),
  'one is repeated': inputs((all, random) => {
    const at = random.below(all.length)
    return all.toSpliced(at, 0, all[at])
  }),
  'one is another': inputs((all, random, other) =>
    all.with(random.below(all.length), random.pick(other.inputs)),
  ),
  'two are exchanged': inputs((all, random) => {
    const [at, to] = [random.below(all.length), random.below(all.length)]
    return all.with(at, all[to]).with(to, all[at])
  }),
  'in the other order': inputs((all) => all.toReversed()),
  'all of another': inputs((_all, _random, other) => other.inputs),
  'a digest as a text': inputs((all, random) => {
    const at = random.below(all.length)
    const { hash, key, set } = all[at]
    const spelled = key ?? set.toUpperCase()
    return all.with(at, { hash: hash === 'none' ? 'sha256' : 'none', key: spelled })
  }),
  'a set as a payload': inputs((all, random) => {
    const at = random.below(all.length)
    return all.with(at, { hash: 'none', key: all[at].set ?? `${all[at].key}` })
  }),
  'as bundle/1': (_random, message) => Buffer.from(textOf(message).replace('Bundle/2', 'Bundle/1')),
  'as bundle/1 made from the first': (_random, message) => {
    const read = readOf(message)
    const { inputs: all, ...others } = read.content
    const previousKey = all[0].key ?? all[0].set.toUpperCase()
    return writtenOf({
      ...read,
      messageType: 'alvarium.AnnotationBundle/1',
      content: { ...others, previousKey, hash: all[0].hash ?? 'sha256' },
    })
  },
  'both kinds at once': content((one) => ({ ...one, previousKey: one.key })),
  'the short form': content((one) => ({
    ...one,
    inputs: { size: one.inputs.length, root: '00'.repeat(32) },
  })),
  'another output': content((one, _random, other) => ({ ...one, key: other.key })),
  'the signature of another': content((one, _random, other) => ({ ...one, signature: other.signature })),
}

const proof = (change) => (random, one, other) => {
  const [read, others] = [readOf(one), readOf(other)]
  return writtenOf({ ...read, content: change(read.content, others.content, random) })
}
const short = (change) =>
  proof((one, other, random) => {
    const { inputs: own } = one.bundle.content
    const bundle = {
      ...one.bundle,
      content: { ...one.bundle.content, inputs: change(own, other.bundle.content.inputs, random) },
    }
    return { ...one, bundle }
  })
const hashes = (path) => Buffer.from(path, 'base64')

/** Forgeries of a proof. Each gets the random numbers, the proof, and another one, of the same bundle or of another. */
export const FORGERIES = {
  'another place': proof((one, _, random) => ({
    ...one,
    index: Math.max(0, one.index + random.pick([-1, 1, 2, 65_536, 2 ** 32])),
  })),
  'the place of another': proof((one, other) => ({ ...one, index: other.index })),
  'the path of another': proof((one, other) => ({ ...one, path: other.path })),
  'the input of another': proof((one, other) => ({ ...one, input: other.input })),
  'the bundle of another': proof((one, other) => ({ ...one, bundle: other.bundle })),
  'place and path of another': proof((one, { index, path }) => ({ ...one, index, path })),
  'a path that is cut': proof((one) => ({ ...one, path: hashes(one.path).subarray(32).toString('base64') })),
  'a path that goes on': proof((one, other) => ({
    ...one,
    path: Buffer.concat([hashes(one.path), hashes(other.path).subarray(0, 32)]).toString('base64'),
  })),
  'a bit of the path': proof((one, _, random) => {
    const path = hashes(one.path)
    if (path.length > 0) path[random.below(path.length)] ^= 1 << random.below(8)
    return { ...one, path: path.toString('base64') }
  }),
  'a size that lies': short((own, _, random) => ({
    ...own,
    size: Math.max(1, own.size + random.pick([-1, 1, own.size])),
  })),
  'the size of another': short((own, other) => ({ ...own, size: other.size })),
  'the root of another': short((own, other) => ({ ...own, root: other.root })),
  'size and root of another': short((_, other) => other),
  'a node as an input': proof((one) => {
    const [set, path] = [hashes(one.path).subarray(0, 32), hashes(one.path).subarray(32)]
    return {
      ...one,
      index: one.index >> 1,
      input: { set: set.toString('hex').padEnd(64, '0') },
      path: path.toString('base64'),
    }
  }),
  'a whole bundle': short((own) => [{ set: own.root }]),
  'a byte': (random, one) => {
    const altered = Buffer.from(one)
    altered[random.below(altered.length)] = random.pick([...Buffer.from('0123456789abcdefABCDEF"{}[]:,')])
    return altered
  },
}
