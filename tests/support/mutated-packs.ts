import type { Random } from '../attack/random.mjs'
import type { Party } from './by-hand.js'
import { fromLatin1, latin1Text, utf8 } from './bytes.js'
import { signAgain } from './sign-again.js'
import { type Entry, entriesOf, remade, zipOf } from './zip.js'

export interface MutatedPack {
  readonly change: string
  readonly pack: Uint8Array
}

/** Private keys of a thief who changes packs: of trusted signers, and of the subject of leases. */
export interface Thief {
  readonly trusted: readonly Party[]
  readonly subject: Party
}

/** Changes a pack, as a thief who knows the format, and has another pack and private keys. */
export function mutatedPack(
  random: Random,
  pack: Uint8Array,
  other: Uint8Array,
  { trusted, subject }: Thief,
): MutatedPack {
  const change = random.below(4) === 0 ? 'none' : random.pick([...Object.keys(CHANGES), SIGNED_AGAIN])
  if (change !== SIGNED_AGAIN) return { change, pack: (CHANGES[change] as Change)(random, pack, other) }
  const by = random.pick(trusted)
  const signedAgain = (line: string) => latin1Text(signAgain(fromLatin1(line), by, subject))
  const again = (line: string) => (random.below(4) === 0 ? signedAgain(line) : line)
  return { change, pack: withLines(random, pack, (lines) => lines.map(again)) }
}

const SIGNED_AGAIN = 'lines signed again by another'

type Change = (random: Random, pack: Uint8Array, other: Uint8Array) => Uint8Array

const isLines = ({ name }: Entry) => name.endsWith('.ndjson')
const linesOf = ({ content }: Entry) => latin1Text(content).split('\n').slice(0, -1)
const partOf = (name: string, lines: readonly string[]): Entry => ({
  name,
  content: fromLatin1(lines.map((line) => `${line}\n`).join('')),
})

function withLines(random: Random, pack: Uint8Array, change: (lines: string[]) => readonly string[]) {
  return remade(pack, (parts) => {
    const chosen = random.pick(parts.filter(isLines))
    return parts.map((part) => (part === chosen ? partOf(part.name, change(linesOf(part))) : part))
  })
}

const swapPart = (name: string) => (_: Random, pack: Uint8Array, other: Uint8Array) =>
  remade(pack, (parts) => {
    const taken = entriesOf(other).find((part) => part.name === name)
    return parts.map((part) => (part.name === name && taken ? taken : part))
  })

const without = <T>(random: Random, list: readonly T[]) => list.toSpliced(random.below(list.length), 1)

function alter(random: Random, text: string): string {
  const at = random.below(text.length)
  const [digit, bit] = [random.pick([...'0a"{}: ,9Z\\']), random.below(8)]
  const code = random.below(2) === 0 ? digit.charCodeAt(0) : text.charCodeAt(at) ^ (1 << bit)
  return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1)
}

const CHANGES: Readonly<Record<string, Change>> = {
  none: (_, pack) => pack,
  'another subject': (_, pack, other) => {
    const manifest = (one: Uint8Array) => JSON.parse(latin1Text(entriesOf(one).at(-1)?.content as Uint8Array))
    const parts = entriesOf(pack).slice(0, -1)
    const text = JSON.stringify({ ...manifest(pack), about: manifest(other).about })
    return zipOf([...parts, { name: 'manifest.json', content: utf8(text) }])
  },
  'lines left out': (random, pack) =>
    withLines(random, pack, (lines) => {
      const left = lines.filter(() => random.below(4) > 0)
      return left.length > 0 ? left : lines
    }),
  'lines in another order': (random, pack) => withLines(random, pack, (lines) => random.shuffled(lines)),
  'lines doubled': (random, pack) =>
    withLines(random, pack, (lines) =>
      lines.flatMap((line) => (random.below(3) === 0 ? [line, line] : [line])),
    ),
  'lines of another pack': (random, pack, other) =>
    remade(pack, (parts) => {
      const chosen = random.pick(parts.filter(isLines))
      const more = entriesOf(other).find(({ name }) => name === chosen.name) ?? chosen
      const lines = random.shuffled([...linesOf(chosen), ...linesOf(more)])
      return parts.map((part) => (part === chosen ? partOf(part.name, lines) : part))
    }),
  'a line of another kind': (random, pack) =>
    remade(pack, (parts) => {
      const [chosen, source] = [random.pick(parts.filter(isLines)), random.pick(parts.filter(isLines))]
      const lines = [...linesOf(chosen), random.pick(linesOf(source))]
      return parts.map((part) => (part === chosen ? partOf(part.name, lines) : part))
    }),
  'a line altered': (random, pack) =>
    withLines(random, pack, (lines) => {
      const at = random.below(lines.length)
      const line = alter(random, lines[at] as string).replaceAll('\n', ' ')
      return lines.with(at, line)
    }),
  'a part left out': (random, pack) =>
    remade(pack, (parts) => {
      const chosen = random.pick(parts.filter(isLines))
      return parts.filter((part) => part !== chosen)
    }),
  'score.json of another pack': swapPart('score.json'),
  'trust.json of another pack': swapPart('trust.json'),
  'verdict.json of another pack': swapPart('verdict.json'),
  'a part of another pack': (random, pack, other) => {
    const { name } = random.pick(entriesOf(pack).filter(isLines))
    return swapPart(name)(random, pack, other)
  },
  'a byte of a part that is not lines': (random, pack) =>
    remade(pack, (parts) => {
      const chosen = random.pick(parts.filter((part) => !isLines(part)))
      const content = fromLatin1(alter(random, latin1Text(chosen.content)))
      return parts.map((part) => (part === chosen ? { ...part, content } : part))
    }),
  'parts in another order': (random, pack) => remade(pack, (parts) => random.shuffled(parts)),
  'parts doubled or left out, with the old manifest': (random, pack) => {
    const parts = entriesOf(pack)
    return zipOf(random.below(2) === 0 ? without(random, parts) : [...parts, random.pick(parts)])
  },
  'a byte of the file': (random, pack) => {
    const at = random.below(pack.length)
    return pack.with(at, (pack[at] as number) ^ (1 << random.below(8)))
  },
}
