// Attacks that change packs. Random edits, omissions and reorderings hit the file, its parts with a matching manifest,
// and its messages with a matching verdict. The reader trusts only the signer, and must notice each change.

import { verdictBytes, verifyPack } from 'alvarium-sdk/packs'
import { linesOf, newPack, packOf, partOf, partsIn, remade, zipOf } from './pack-makes.mjs'
import { Random } from './random.mjs'
import { inRounds } from './tally.mjs'
import { timed } from './timed.mjs'

/** Changes per pack. */
const EACH = 60

/** @param {{ seed: number, count: number }} options */
export async function packs({ seed, count }) {
  const random = new Random(seed, 14)
  const round = async (tally) => {
    const one = await newPack(random)
    const { verdict, outcome } = await verifyPack(one.pack, { keyring: one.keyring })
    if (outcome !== 'holds' || verdict.whole.word === 'not shown')
      tally.disagreement('a genuine pack is not whole', one.options.about)
    const genuine = verdictBytes(verdict)
    for (let left = EACH; left > 0; left--) await tried(tally, random, one, genuine)
  }
  return inRounds({ round, close: async () => {} }, count)
}

async function tried(tally, random, one, genuine) {
  const kind = random.pick(Object.keys(CHANGES))
  const pack = await CHANGES[kind](random, one)
  // Some changes leave the bytes as they are.
  if (pack === undefined || Buffer.compare(pack, one.pack) === 0) return
  tally.count(kind)
  tally.verdicts++
  const { value: told } = await timed(() => toldOf(pack, one.keyring, genuine), tally)
  tally.outcome(kind, told)
  const isRight = HARMLESS.includes(kind) ? told === 'the same' : told !== 'the same'
  if (!isRight) tally.disagreement(`${kind} is told: ${told}`, Buffer.from(pack).toString('base64'))
}

/** Returns the verdict of a reader; 'the same' if it equals the genuine one. */
async function toldOf(pack, keyring, genuine) {
  try {
    const { verdict, outcome, matchesStoredVerdict } = await verifyPack(pack, { keyring })
    if (outcome === 'holds' && Buffer.compare(verdictBytes(verdict), genuine) === 0) return 'the same'
    if (verdict.whole.missing > 0) return 'missing'
    if (Object.values(verdict.lines).some(({ refused, unknownSigner }) => refused + unknownSigner > 0))
      return 'refused'
    return matchesStoredVerdict ? 'not whole' : 'another verdict'
  } catch (error) {
    if (['MESSAGE_MALFORMED', 'PACK_UNREADABLE', 'CONFIG_INVALID'].includes(error.code)) return error.code
    throw error
  }
}

/** Changes that keep the verdict, because the order of messages has no meaning. */
const HARMLESS = [
  'lines in another order, and a manifest that fits',
  'messages in another order, and a verdict that fits',
]

const LINES = /\.ndjson$/

/** Changes the lines of one part, in a pack whose manifest matches. */
function withLines(random, { pack }, change) {
  return remade(pack, (parts) => {
    const which = random.pick(parts.filter(({ name }) => LINES.test(name)))
    return parts.map((part) => (part === which ? partOf(part.name, change(linesOf(part.content))) : part))
  })
}

function withBit(random, text) {
  const bytes = Buffer.from(text, 'latin1')
  bytes[random.below(bytes.length)] ^= 1 << random.below(8)
  return bytes.toString('latin1')
}

const without = (random, list) => list.toSpliced(random.below(list.length), 1)

/** Changes by name. Each gets the pack and its source, and returns another pack. */
const CHANGES = {
  'a bit of the file': (random, { pack }) => {
    const changed = pack.slice()
    changed[random.below(pack.length)] ^= 1 << random.below(8)
    return changed
  },
  'bytes taken out of the file': (random, { pack }) => {
    const at = random.below(pack.length)
    return new Uint8Array([...pack.subarray(0, at), ...pack.subarray(at + 1 + random.below(100))])
  },
  'bytes put into the file': (random, { pack }) => {
    const at = random.below(pack.length + 1)
    return new Uint8Array([
      ...pack.subarray(0, at),
      ...random.bytes(1 + random.below(40)),
      ...pack.subarray(at),
    ])
  },
  'parts in another order': (random, { pack }) => zipOf(random.shuffled(partsIn(pack))),
  'a part left out': (random, { pack }) => zipOf(without(random, partsIn(pack))),
  'a part left out, and a manifest that fits': (random, { pack }) =>
    remade(pack, (parts) => without(random, parts)),
  'a part twice': (random, { pack }) =>
    zipOf(partsIn(pack).flatMap((part) => Array(1 + random.below(2)).fill(part))),
  'a bit of a line, and a manifest that fits': (random, one) =>
    withLines(random, one, (lines) =>
      lines.with(random.below(lines.length), withBit(random, random.pick(lines))),
    ),
  'a line left out, and a manifest that fits': (random, one) =>
    withLines(random, one, (lines) => without(random, lines)),
  'a line twice, and a manifest that fits': (random, one) =>
    withLines(random, one, (lines) => [...lines, random.pick(lines)]),
  'lines in another order, and a manifest that fits': (random, one) =>
    withLines(random, one, (lines) => random.shuffled(lines)),
  'a bit of the verdict, and a manifest that fits': (random, { pack }) =>
    remade(pack, (parts) =>
      parts.map((part) =>
        part.name === 'verdict.json'
          ? {
              ...part,
              content: new Uint8Array(
                Buffer.from(withBit(random, Buffer.from(part.content).toString('latin1')), 'latin1'),
              ),
            }
          : part,
      ),
    ),
  'a message altered, and a verdict that fits': (random, { messages, options }) => {
    const at = random.below(messages.length)
    const altered = Buffer.from(withBit(random, Buffer.from(messages[at]).toString('latin1')), 'latin1')
    return packOf(messages.with(at, new Uint8Array(altered)), options)
  },
  'messages left out, and a verdict that fits': (random, { messages, options }) => {
    const left = messages.filter(() => random.below(4) > 0)
    return left.length < messages.length ? packOf(left, options) : undefined
  },
  'what shows that it is whole left out, and a verdict that fits': (random, { messages, options }) => {
    const { checkpoints = [], sets } = options
    return packOf(
      messages,
      sets ? { ...options, sets: [] } : { ...options, checkpoints: without(random, checkpoints) },
    )
  },
  'messages in another order, and a verdict that fits': (random, { messages, options }) =>
    packOf(random.shuffled(messages), options),
}
