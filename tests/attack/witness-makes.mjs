// Notes with lines of witnesses: genuine ones, and those of a stranger, a liar or a hostile log.

import { HandLog, NoteSigner } from '../witness/logs.mjs'

const NOON = 1_777_636_800
const MAX_ENTRIES = 40
/** Times that fit into 64 bits but are not allowed in a line; and allowed times, however far away. */
const TOO_LATE = [2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]
const FAR = [0, 1, 2 ** 32, 253_402_300_799, 253_402_300_800, 8_640_000_000_001, 2 ** 53 - 1]

/** Keys of witnesses, made once, because making one takes as long as signing. */
const KEYS = Array.from({ length: 5 }, (_, at) => new NoteSigner(`witness.example/w${at + 1}`, 4))
const NAMESAKES = KEYS.map(({ name }) => new NoteSigner(name, 4))
const LOG = new NoteSigner('log.example/attacked', 1)
const STRANGER = new NoteSigner('stranger.example', 4)

/** Makes a log with witnesses, and the lines of some of them. @param {import('./random.mjs').Random} random */
export function seenLog(random) {
  const log = new HandLog(LOG.name, LOG)
  const ids = Array.from({ length: 2 + random.below(MAX_ENTRIES) }, () => Buffer.from(random.bytes(32)))
  for (const id of ids) log.addEntry(id)
  const members = random.shuffled(KEYS.map((_, at) => at)).slice(0, 1 + random.below(KEYS.length))
  const size = log.leaves.length
  const lines = members
    .slice(0, random.below(members.length + 1))
    .map((at) => ({ at, line: KEYS[at].line(log.textAt(size), NOON + random.below(10_000)) }))
  const quorum = 1 + random.below(members.length)
  return {
    log,
    ids,
    members,
    lines,
    quorum,
    size,
    text: log.textAt(size),
    own: log.signer.line(log.textAt(size)),
  }
}

export function noteBy({ text, own }, lines) {
  return `${text}\n${[own, ...lines].join('')}`
}

/**
 * @typedef {{ notes: string[], vkey: string, witnesses: string[], quorum: number }} NotesQuestion
 * @typedef {{ proof_of: string, text: string, vkey: string, witnesses: string[], quorum: number }} ProofQuestion
 */

/** @param {readonly string[]} notes @returns {NotesQuestion} */
export function questionOf({ log, members, quorum }, notes) {
  return { notes, vkey: log.signer.vkey, witnesses: members.map((at) => KEYS[at].vkey), quorum }
}

const linesOf = ({ lines }) => lines.map(({ line }) => line)

function withLine(random, seen, lineBy) {
  const at = random.pick(seen.members)
  const others = linesOf({ lines: seen.lines.filter((one) => one.at !== at) })
  return questionOf(seen, [noteBy(seen, random.shuffled([...others, lineBy(at)]))])
}

function withBoth(random, seen, lineBy) {
  const at = random.pick(seen.members)
  const both = [KEYS[at].line(seen.text, NOON), lineBy(at)]
  return questionOf(seen, [noteBy(seen, random.shuffled(both))])
}

/** Changes the bytes of a line after its dash and its name. */
function changedLine(line, change) {
  const [dash, name, base64] = line.trimEnd().split(' ')
  return `${dash} ${name} ${change(Buffer.from(base64, 'base64')).toString('base64')}\n`
}

function bitOf(random, bytes, from = 0) {
  const changed = Buffer.from(bytes)
  changed[from + random.below(bytes.length - from)] ^= 1 << random.below(8)
  return changed
}

/** Other texts of the log, by the part that is changed. */
const OTHER_TEXTS = {
  origin: ({ text }) => text.replace('log.example/attacked', 'log.example/other'),
  size: ({ text, size }) => text.replace(`\n${size}\n`, `\n${size + 1}\n`),
  root: ({ text }, random) => {
    const [origin, size] = text.split('\n')
    return `${origin}\n${size}\n${Buffer.from(random.bytes(32)).toString('base64')}\n`
  },
  'line more': ({ text }) => `${text}another line\n`,
}

/**
 * Questions by their fault; Node and Python are asked each. `is` is the expected word of the verdict.
 *
 * @type {Record<string, { is?: string, code?: string, make(random: import('./random.mjs').Random, seen: ReturnType<typeof seenLog>): NotesQuestion }>}
 */
export const CASES = {
  genuine: { make: (_, seen) => questionOf(seen, [noteBy(seen, linesOf(seen))]) },
  'a line left out': {
    make: (random, seen) =>
      questionOf(seen, [
        noteBy(
          seen,
          linesOf(seen).filter(() => random.below(2) > 0),
        ),
      ]),
  },
  'lines in another order': {
    make: (random, seen) =>
      questionOf(seen, [noteBy({ ...seen, own: '' }, random.shuffled([seen.own, ...linesOf(seen)]))]),
  },
  'two lines of one witness': {
    make: (random, seen) =>
      withBoth(random, seen, (at) => KEYS[at].line(seen.text, NOON + random.below(20_000) - 5_000)),
  },
  'a good line of a witness, and another one': {
    is: 'contradicted',
    make: (random, seen) => withBoth(random, seen, (at) => KEYS[at].line(seen.log.textAt(0), NOON)),
  },
  'a time that is far away': {
    make: (random, seen) => withLine(random, seen, (at) => KEYS[at].line(seen.text, random.pick(FAR))),
  },
  'a time that does not fit': {
    is: 'contradicted',
    make: (random, seen) => withLine(random, seen, (at) => KEYS[at].line(seen.text, random.pick(TOO_LATE))),
  },
  'a cosignature of another text': {
    is: 'contradicted',
    make: (random, seen) => {
      const other = OTHER_TEXTS[random.pick(Object.keys(OTHER_TEXTS))](seen, random)
      return withLine(random, seen, (at) => KEYS[at].line(other, NOON))
    },
  },
  'a cosignature of a smaller log': {
    is: 'contradicted',
    make: (random, seen) =>
      withLine(random, seen, (at) => KEYS[at].line(seen.log.textAt(random.below(seen.size)), NOON)),
  },
  'another key with the name of a witness': {
    make: (random, seen) => withLine(random, seen, (at) => NAMESAKES[at].line(seen.text, NOON)),
  },
  'another key with the name and the id of a witness': {
    is: 'contradicted',
    make: (random, seen) =>
      withLine(random, seen, (at) => {
        const id = Buffer.from(KEYS[at].vkey.split('+')[1], 'hex')
        return changedLine(NAMESAKES[at].line(seen.text, NOON), (bytes) =>
          Buffer.concat([id, bytes.subarray(4)]),
        )
      }),
  },
  'a time that was changed in the line': {
    is: 'contradicted',
    make: (random, seen) =>
      withLine(random, seen, (at) =>
        changedLine(KEYS[at].line(seen.text, NOON), (bytes) => {
          bytes.writeBigUInt64BE(BigInt(NOON - 1 - random.below(NOON)), 4)
          return bytes
        }),
      ),
  },
  'a bit of a cosignature': {
    is: 'contradicted',
    make: (random, seen) =>
      withLine(random, seen, (at) =>
        changedLine(KEYS[at].line(seen.text, NOON), (bytes) => bitOf(random, bytes, 4)),
      ),
  },
  'a bit of the id of a witness': {
    make: (random, seen) =>
      withLine(random, seen, (at) =>
        changedLine(KEYS[at].line(seen.text, NOON), (bytes) =>
          Buffer.concat([bitOf(random, bytes.subarray(0, 4)), bytes.subarray(4)]),
        ),
      ),
  },
  'a cosignature that is too short or too long': {
    is: 'contradicted',
    make: (random, seen) =>
      withLine(random, seen, (at) =>
        changedLine(KEYS[at].line(seen.text, NOON), (bytes) =>
          random.below(2) > 0
            ? bytes.subarray(0, 5 + random.below(71))
            : Buffer.concat([bytes, random.bytes(1 + random.below(40))]),
        ),
      ),
  },
  'a line of a stranger': {
    make: (random, seen) => withLine(random, seen, () => STRANGER.line(seen.text, NOON - 1)),
  },
  'as many lines as a note may have': {
    make: (_, seen) =>
      questionOf(seen, [
        noteBy(seen, [
          ...Array(15 - seen.lines.length).fill(STRANGER.line(seen.text, NOON)),
          ...linesOf(seen),
        ]),
      ]),
  },
  'more lines than a note may have': {
    code: 'MESSAGE_MALFORMED',
    make: (random, seen) =>
      questionOf(seen, [
        noteBy(seen, Array(random.pick([16, 17, 1_000])).fill(STRANGER.line(seen.text, NOON))),
      ]),
  },
  'the line of the log twice, or not at all': {
    code: 'MESSAGE_MALFORMED',
    make: (random, seen) => {
      const isTwice = random.below(2) > 0
      const lines = [isTwice ? seen.own : STRANGER.line(seen.text, NOON), ...linesOf(seen)]
      return questionOf(seen, [noteBy({ ...seen, own: isTwice ? seen.own : '' }, lines)])
    },
  },
  'another spelling of a line': {
    code: 'MESSAGE_MALFORMED',
    make: (random, seen) => {
      const line = KEYS[random.pick(seen.members)].line(seen.text, NOON)
      const spelt = random.pick([
        line.replace('\n', '\r\n'),
        line.replace('\n', ' \n'),
        line.replace('— ', '- '),
        line.replace('— ', '—  '),
        line.replace('==\n', '\n'),
        line.replace(/[AQgw]==\n/, (end) => `${'BRhx'['AQgw'.indexOf(end[0])]}==\n`),
        `${line}\n`,
        line.trimEnd(),
        '\n',
      ])
      return questionOf(seen, [noteBy(seen, [...linesOf(seen), spelt])])
    },
  },
  'a character of the note': {
    make: (random, seen) => {
      const note = noteBy(seen, linesOf(seen))
      const at = random.below(note.length)
      return questionOf(seen, [
        `${note.slice(0, at)}${random.pick(['a', '0', '\n', ' ', '+', '—'])}${note.slice(at + 1)}`,
      ])
    },
  },
  'notes of a log as it grew': {
    make: (random, seen) => questionOf(seen, grown(random, seen)),
  },
  'a second log of one size': {
    is: 'contradicted',
    make: (random, seen) => {
      const text = OTHER_TEXTS.root(seen, random)
      const other = { text, own: seen.log.signer.line(text) }
      const lines = seen.members
        .filter(() => random.below(2) > 0)
        .map((at) => KEYS[at].line(text, NOON + random.below(100)))
      return questionOf(seen, random.shuffled([noteBy(seen, linesOf(seen)), noteBy(other, lines)]))
    },
  },
  'a smaller log after a larger one': {
    is: 'unwitnessed',
    make: (random, seen) => {
      const [at, size] = [random.pick(seen.members), 1 + random.below(seen.size - 1)]
      const text = seen.log.textAt(size)
      const smaller = noteBy({ text, own: seen.log.signer.line(text) }, [KEYS[at].line(text, NOON + 20_001)])
      return questionOf(
        seen,
        random.shuffled([smaller, noteBy(seen, [KEYS[at].line(seen.text, NOON + 20_000)])]),
      )
    },
  },
  'a key twice among the witnesses, or a quorum of more': {
    code: 'CONFIG_INVALID',
    make: (random, seen) => {
      const question = questionOf(seen, [noteBy(seen, linesOf(seen))])
      return random.below(2) > 0
        ? { ...question, witnesses: [...question.witnesses, question.witnesses[0]] }
        : { ...question, quorum: question.witnesses.length + 1 }
    },
  },
}

/** Returns notes of several sizes, each with lines of some witnesses, whose clocks advance. */
function grown(random, seen) {
  const sizes = Array.from({ length: 1 + random.below(4) }, () => random.below(seen.size + 1)).sort(
    (a, b) => a - b,
  )
  return [...new Set(sizes)].map((size, place) => {
    const text = seen.log.textAt(size)
    const lines = seen.members
      .filter(() => random.below(2) > 0)
      .map((at) => KEYS[at].line(text, NOON + place * 1_000 + random.below(1_000)))
    return noteBy({ text, own: seen.log.signer.line(text) }, lines)
  })
}

/**
 * Returns the question about a proof of an entry, whose checkpoint is the last note of a question.
 *
 * @param {import('./random.mjs').Random} random @param {ReturnType<typeof seenLog>} seen @param {NotesQuestion} question
 * @returns {ProofQuestion}
 */
export function proofQuestion(random, { log, ids, size }, { notes, ...question }) {
  const index = random.below(ids.length)
  return {
    ...question,
    proof_of: ids[index].toString('hex'),
    text: log.proof(index, notes.at(-1) ?? '', size),
  }
}
