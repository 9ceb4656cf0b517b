// Measures one set of random payload keys: sealing it, reading its list, making and verifying proofs.

import { generateKey, keyIdOf } from 'alvarium-sdk'
import {
  openKeyList,
  proveAbsent,
  proveMember,
  sealSet,
  verifyAbsent,
  verifyMember,
  verifySet,
} from 'alvarium-sdk/sets'

const MIB = 1024 * 1024
const TOGETHER = 2048
const PROOFS = 2000

const count = Number(process.argv[2])
const { signingKey, verifyingKey } = generateKey()
const empty = rss()

const sealing = await timed(() => sealSet(keys(count), { signingKey, name: 'bench' }))
const peak = process.resourceUsage().maxRSS / 1024 - empty
const { message, list } = sealing.result
const reading = await timed(() => openKeyList(list.pieces()))
const verified = await verifySet(message, { keyring: [verifyingKey], list: reading.result })
const members = [...some(list)]
const others = [...keys(PROOFS)]
const member = await timed(() => members.map((key) => proveMember(list, key)))
const absent = await timed(() => others.map((key) => proveAbsent(list, key)))
const checked = await timed(() => members.map((key, at) => verifyMember(verified, member.result[at], key)))
const missed = await timed(() => others.map((key, at) => verifyAbsent(verified, absent.result[at], key)))

const mean = (proofs) => proofs.reduce((sum, { length }) => sum + length, 0) / proofs.length
process.send?.({
  signer: keyIdOf(verifyingKey),
  count,
  sealS: sealing.seconds,
  readS: reading.seconds,
  peakMib: peak,
  bytesPerKey: (peak * MIB) / count,
  messageBytes: message.length,
  memberBytes: mean(member.result),
  absentBytes: mean(absent.result),
  proveMicros: ((member.seconds + absent.seconds) / (members.length + others.length)) * 1e6,
  verifyMicros: ((checked.seconds + missed.seconds) / (members.length + others.length)) * 1e6,
})

/** Yields random payload keys in hexadecimal. */
function* keys(count) {
  const bytes = Buffer.alloc(32 * TOGETHER)
  for (let at = 0; at < count; at++) {
    const place = 32 * (at % TOGETHER)
    if (place === 0) crypto.getRandomValues(bytes)
    yield bytes.toString('hex', place, place + 32)
  }
}

/** Yields payload keys at equal distances in the list. */
function* some(list) {
  const step = Math.max(1, Math.floor(list.size / PROOFS))
  let index = 0
  for (const piece of list.pieces()) {
    for (let at = 0; at < piece.length; at += 32, index++) {
      if (index % step === 0) yield Buffer.from(piece.buffer, piece.byteOffset + at, 32).toString('hex')
    }
  }
}

/** Measures CPU time in seconds, which other load on the machine hardly changes. */
async function timed(run) {
  const start = process.cpuUsage()
  const result = await run()
  const { user, system } = process.cpuUsage(start)
  return { result, seconds: (user + system) / 1e6 }
}

function rss() {
  return process.memoryUsage().rss / MIB
}
