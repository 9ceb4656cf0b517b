// Altered messages of the other SDKs' dialects.

import { AlvariumError, Keyring, verifyClassic, verifyMessage } from 'alvarium-sdk'
import { alter, alterBytes } from './alter.mjs'
import { theirs } from './genuine.mjs'
import { JSON_SPELLINGS as spellings } from './spellings.mjs'
import { outcome, timed } from './timed.mjs'
import { jsonOf } from './tree.mjs'

/** The possible errors of an annotation, besides the message's own MESSAGE_MALFORMED. */
const ANNOTATION = ['MESSAGE_MALFORMED', 'SIGNATURE_INVALID', 'SIGNER_UNKNOWN']

/** @param {import('./random.mjs').Random} random @param {import('./tally.mjs').Tally} tally */
export async function classicFuzzer(random, tally) {
  const { keyrings, signed, messages } = await theirs(random)
  const trusted = Object.fromEntries(
    Object.entries(keyrings).map(([name, keys]) => [name, new Keyring(keys)]),
  )
  const setup = { trusted, signed, messages, random, tally }
  return async (count) => {
    for (let left = count; left > 0; left--) await judge(alteredOf(setup), setup)
  }
}

function alteredOf({ messages, random, tally }) {
  const [one, other] = [random.pick(messages), random.pick(messages)]
  const { tree, kind } = alter(one.tree, { random, donor: other.tree, spellings })
  const [bytes, how] = random.pick([
    () => [written(tree, one.dialect), kind],
    () => [written(tree, one.dialect), kind],
    () => [alterBytes(one.bytes, other.bytes, random), 'bytes'],
    () => [
      written(one.tree, one.dialect, (list) => alterBytes(list, other.bytes, random)),
      'bytes of the list',
    ],
  ])()
  tally.count(`${one.dialect}: ${how.startsWith('bytes') ? how : 'items'}`)
  return { kind: how, dialect: one.dialect, bytes }
}

/** Writes the message of a tree, with its list in base64 again. @param {(list: Buffer) => Buffer} [then] */
function written(tree, dialect, then = (list) => list) {
  const separators = dialect === 'python' ? [', ', ': '] : [',', ':']
  const inBase64 = ([name, value]) => {
    if (name !== '"content"' || !(value.members || value.items)) return [name, value]
    return [name, `"${then(Buffer.from(jsonOf(value, ...separators))).toString('base64')}"`]
  }
  const envelope = tree.members ? { members: tree.members.map(inBase64) } : tree
  return Buffer.from(jsonOf(envelope, ...separators))
}

async function judge({ kind, dialect, bytes }, { trusted, signed, random, tally }) {
  const input = { kind, dialect, base64: bytes.subarray(0, 4096).toString('base64'), length: bytes.length }
  const keyring = trusted[dialect]
  try {
    const { value, code } = await timed(() => verifyClassic(bytes, { keyring }), tally)
    if (code !== undefined && code !== 'MESSAGE_MALFORMED') tally.disagreement(`the message: ${code}`, input)
    if (code) tally.outcome('classic', code)
    const annotations = value?.annotations ?? []
    for (const one of annotations) judgeAnnotation(one, signed, tally, input)
    const isAltered = annotations.some(({ reason }) => reason?.code === 'SIGNATURE_INVALID')
    if (isAltered && !annotations.some(({ status }) => status === 'fulfilled'))
      tally.disagreement('called altered, where no key verified anything', input)
    tally.verdicts += 1
    if (random.below(50) > 0) return
    const bundle = await outcome(() => verifyMessage(bytes, { keyring }))
    if (bundle.code !== 'MESSAGE_MALFORMED') tally.disagreement('read as a bundle', input)
  } catch (error) {
    tally.crash(error, input)
  }
}

function judgeAnnotation({ status, value, reason }, signed, tally, input) {
  tally.verdicts++
  tally.outcome('classic annotation', reason?.code ?? 'genuine')
  if (status === 'fulfilled') {
    const text = JSON.stringify(value)
    if (!signed.has(text)) tally.disagreement(`nobody signed ${text}`, input)
  } else if (!(reason instanceof AlvariumError && ANNOTATION.includes(reason.code)))
    tally.crash(reason, input)
}
