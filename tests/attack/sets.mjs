// Attacks that prove a false membership or absence. Random sets have genuine and forged proofs, which are compared with
// the sealed set, and with the verifier in Python.

import { generateKey, toHex } from 'alvarium-sdk'
import {
  openKeyList,
  proveAbsent,
  proveMember,
  proveUpdate,
  sealSet,
  verifyAbsent,
  verifyMember,
  verifySet,
  verifyUpdate,
} from 'alvarium-sdk/sets'
import { askPython } from './python.mjs'
import { Random } from './random.mjs'
import { askedOf, FORGERIES, forged, keysOf, sizeOf } from './set-makes.mjs'
import { inRounds } from './tally.mjs'

/** Genuine proofs about each set, and forged ones. */
const [GENUINE, FORGED] = [500, 60]
/** Python is asked about this many of the genuine proofs, and about all forged ones. */
const ASKED = 60
const KINDS = Object.keys(FORGERIES)

/** @param {{ seed: number, count: number }} options */
export async function sets({ seed, count }) {
  const random = new Random(seed, 12)
  const { signingKey, verifyingKey } = generateKey()
  const python = askPython([toHex(verifyingKey)])
  const round = async (tally) => {
    const one = await newSet(random, { signingKey, verifyingKey })
    const asked = proved(tally, random, one)
    await judgedByBoth(tally, one, asked, python)
    await lists(tally, random, one)
    await updates(tally, random, one, signingKey)
  }
  return inRounds({ round, close: python.close }, count)
}

async function newSet(random, { signingKey, verifyingKey }) {
  const keys = keysOf(random, sizeOf(random))
  const salt = random.below(4) === 0 ? random.bytes(32) : undefined
  const rows = random.shuffled([...keys, ...keys.slice(0, random.below(3))])
  const { message, list, set } = await sealSet(rows, { signingKey, salt })
  const keyring = [verifyingKey]
  const verified = await verifySet(message, { keyring, salt, list })
  if (set.size !== keys.length || set.rows !== rows.length) throw new Error('the numbers are wrong')
  return { keys, known: new Set(keys), salt, message, list, verified, keyring }
}

/** Returns genuine proofs, which verify, and forged ones. */
function proved(tally, random, one) {
  const made = Array.from({ length: GENUINE }, () => genuine(random, one))
  for (const { says } of made) tally.count(`genuine: ${says}`)
  const forgeries = Array.from({ length: FORGED }, () => {
    const kind = random.pick(KINDS)
    tally.count(`forged: ${kind}`)
    const [proof, other] = [random.pick(made), random.pick(made)]
    const key = random.below(2) === 0 ? proof.key : other.key
    const says = random.pick(['member', 'absent'])
    return { kind, key, says, proof: forged(random, kind, proof.proof, other.proof) }
  })
  return [...made, ...forgeries]
}

function genuine(random, { keys, known, list }) {
  const key = askedOf(random, keys)
  const says = known.has(key) ? 'member' : 'absent'
  return { key, says, proof: (says === 'member' ? proveMember : proveAbsent)(list, key) }
}

async function judgedByBoth(tally, one, asked, python) {
  const own = asked.map((question) => judged(tally, one, question))
  const some = asked.map((question, at) => ({ question, own: own[at] })).slice(GENUINE - ASKED)
  const common = { set: base64(one.message), ...(one.salt && { salt: base64(one.salt) }) }
  const questions = some.map(({ question: { says, key, proof } }) => {
    return { ...common, says, key: Buffer.from(key, 'hex').toString('base64'), proof: base64(proof) }
  })
  for (const [at, verdict] of (await python.verdicts(questions)).entries()) {
    tally.verdicts++
    const { own, question } = some[at]
    const theirs = verdict.code ?? 'verified'
    if (theirs !== own) tally.disagreement(`Python says ${theirs}, for ${own}`, shown(question))
  }
}

/** Returns our verdict. It must be true, and a genuine proof must verify. */
function judged(tally, { verified, known }, question) {
  const { kind, key, says, proof } = question
  const start = performance.now()
  const verdict = verdictOn(() => (says === 'member' ? verifyMember : verifyAbsent)(verified, proof, key))
  tally.slowest = Math.max(tally.slowest, performance.now() - start)
  tally.verdicts++
  tally.outcome(kind === undefined ? 'genuine' : 'forged', verdict === 'verified' ? '[' : verdict)
  const isTrue = known.has(key) === (says === 'member')
  if (verdict === 'verified' ? !isTrue : kind === undefined)
    tally.disagreement(`it is ${verdict}`, shown(question))
  if (!['verified', 'PROOF_INVALID', 'MESSAGE_MALFORMED'].includes(verdict))
    tally.crash(verdict, shown(question))
  return verdict
}

function verdictOn(verify) {
  try {
    verify()
    return 'verified'
  } catch (error) {
    return error.code ?? error.stack
  }
}

/**
 * Checks that a list in another order, with a repeated, missing or different entry is never accepted as that of the
 * set.
 */
async function lists(tally, random, { list, message, keyring, keys }) {
  if (keys.length < 2) return
  const bytes = Buffer.concat([...list.pieces()])
  const at = 32 * random.below(keys.length - 1)
  const [before, first, second, behind] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + 32),
    bytes.subarray(at + 32, at + 64),
    bytes.subarray(at + 64),
  ]
  const lies = {
    'two in the other order': [before, second, first, behind],
    'one twice': [before, first, first, second, behind],
    'one in the place of the next': [before, first, first, behind],
    'one is missing': [before, second, behind],
    'one is cut off': [bytes.subarray(0, -1 - random.below(31))],
  }
  for (const [lie, pieces] of Object.entries(lies)) {
    tally.count(`lists: ${lie}`)
    tally.verdicts++
    const verdict = await openKeyList(pieces)
      .then((opened) => verifySet(message, { keyring, list: opened }))
      .then(
        () => 'verified',
        ({ code }) => code,
      )
    if (verdict !== 'MESSAGE_MALFORMED' && verdict !== 'PROOF_INVALID')
      tally.disagreement(`${lie}: ${verdict}`, { at })
  }
}

/** Checks that an update states the true changes; an altered one never verifies with other changes. */
async function updates(tally, random, one, signingKey) {
  const removed = one.keys.filter(() => random.below(one.keys.length) < 5)
  const added = keysOf(random, random.below(8)).filter((key) => !one.known.has(key))
  const gone = new Set(removed)
  const later = [...one.keys.filter((key) => !gone.has(key)), ...added]
  const { salt, keyring, verified: before } = one
  const sealed = await sealSet(later, { signingKey, salt })
  const after = await verifySet(sealed.message, { keyring, salt })
  const update = await proveUpdate(one.list, sealed.list)
  const expected = await verifyUpdate(before, after, { lists: { before: one.list, after: sealed.list } })
  const told = async (message) => {
    const { others, ...changes } = await verifyUpdate(before, after, { update: message })
    return JSON.stringify(changes)
  }
  const { others, ...changes } = expected
  tally.count('updates: genuine')
  const isRight = changes.added.length === added.length && changes.removed.length === removed.length
  if (!isRight || (await told(update)) !== JSON.stringify(changes))
    tally.disagreement('an update', { added, removed })
  const altered = Buffer.from(update)
  const at = 60 + random.below(altered.length - 60)
  altered[at] = random.pick([...Buffer.from('0123456789abcdef"[]{},:')])
  tally.count('updates: altered')
  tally.verdicts += 2
  const verdict = await told(altered).catch(({ code }) => code)
  const isSame = altered.equals(update) && verdict === JSON.stringify(changes)
  if (!isSame && !['PROOF_INVALID', 'MESSAGE_MALFORMED'].includes(verdict))
    tally.disagreement('an altered update', verdict)
}

const base64 = (bytes) => Buffer.from(bytes).toString('base64')
const shown = ({ proof, ...question }) => ({ ...question, proof: Buffer.from(proof).toString() })
