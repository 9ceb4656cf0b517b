// Faults of a store's files while no process has the store open. Each gets the folder and random numbers, and returns a
// description.

import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { recordsIn, segmentsIn } from './segments.mjs'

/** @typedef {import('./random.mjs').Random} Random */
/** @typedef {(folder: string, random: Random) => string | Promise<string>} Fault */

/** Lists the files of a store that are not empty. @param {string} folder */
const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && statSync(join(folder, entry.name)).size > 0)
    .map(({ name }) => name)
    .sort()

/** Picks the largest file half of the time, any file otherwise. @param {string} folder @param {Random} random */
function anyFile(folder, random) {
  const names = filesIn(folder)
  const largest = names.toSorted(
    (one, other) => statSync(join(folder, other)).size - statSync(join(folder, one)).size,
  )
  return (random(2) === 0 ? largest[0] : names[random(names.length)]) ?? 'mark'
}

/** @param {string} path @param {(bytes: Uint8Array) => void} alter */
function altered(path, alter) {
  const bytes = readFileSync(path)
  alter(bytes)
  writeFileSync(path, bytes)
}

/** @type {Readonly<Record<string, Fault>>} */
export const FAULTS = {
  'a bit flipped': (folder, random) => {
    const name = anyFile(folder, random)
    altered(join(folder, name), (bytes) => {
      const at = random(bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
    })
    return name
  },
  'bytes altered': (folder, random) => {
    const name = anyFile(folder, random)
    altered(join(folder, name), (bytes) => {
      for (let left = 1 + random(20); left > 0; left--) bytes[random(bytes.length)] = random(256)
    })
    return name
  },
  'a block of zeros': (folder, random) => {
    const name = anyFile(folder, random)
    altered(join(folder, name), (bytes) => {
      const at = random(bytes.length)
      bytes.fill(0, at, Math.min(bytes.length, at + 512 * (1 + random(16))))
    })
    return name
  },
  'cut off': (folder, random) => {
    const name = anyFile(folder, random)
    const path = join(folder, name)
    truncateSync(path, random(statSync(path).size))
    return name
  },
  'rubbish behind it': (folder, random) => {
    const name = anyFile(folder, random)
    appendFileSync(
      join(folder, name),
      Uint8Array.from({ length: 1 + random(5000) }, () => random(256)),
    )
    return name
  },
  'a file removed': (folder, random) => {
    const name = anyFile(folder, random)
    rmSync(join(folder, name))
    return name
  },
  'two files swapped': (folder, random) => {
    const names = filesIn(folder)
    const one = names[random(names.length)] ?? ''
    const other = names.filter((name) => name !== one)[random(names.length - 1)] ?? one
    const [first, second] = [join(folder, one), join(folder, other)]
    renameSync(first, join(folder, 'between'))
    if (one !== other) renameSync(second, first)
    renameSync(join(folder, 'between'), second)
    return `${one} and ${other}`
  },
  'a file replaced by another': (folder, random) => {
    const names = filesIn(folder)
    const one = names[random(names.length)] ?? ''
    const other = names.filter((name) => name !== one)[random(names.length - 1)] ?? one
    if (one !== other) copyFileSync(join(folder, one), join(folder, other))
    return `${other} by ${one}`
  },
  'bytes inserted': (folder, random) => {
    const name = anyFile(folder, random)
    const path = join(folder, name)
    const bytes = readFileSync(path)
    const at = random(bytes.length + 1)
    const inserted = Uint8Array.from({ length: 1 + random(5000) }, () => random(256))
    writeFileSync(path, Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]))
    return `${name}, ${inserted.length} at ${at}`
  },
  'bytes removed': (folder, random) => {
    const name = anyFile(folder, random)
    const path = join(folder, name)
    const bytes = readFileSync(path)
    const at = random(bytes.length)
    const end = Math.min(bytes.length, at + 1 + random(5000))
    writeFileSync(path, Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]))
    return `${name}, ${at} to ${end}`
  },
  'files of others': (folder, random) => {
    const names = ['hello', 'records', 'records-', 'records-0', 'records-x', 'records-9999', 'LOG', 'lock']
    const some = names.filter((name) => random(2) === 0 && name !== '')
    for (const name of some)
      writeFileSync(
        join(folder, name),
        Uint8Array.from({ length: random(500) }, () => random(256)),
      )
    return some.join(' ')
  },
  'a record altered in its place': (folder, random) => {
    const found = recordsIn(folder)
    const { path, at, length } = found[random(found.length)] ?? { path: 'none', at: 0, length: 0 }
    altered(path, (bytes) => {
      const place = at + random(length)
      bytes[place] = (bytes[place] ?? 0) ^ (1 << random(8))
    })
    return `${path}, ${at}`
  },
  'records deleted': (folder, random) => {
    const found = recordsIn(folder)
    const first = random(found.length)
    const some = found.slice(first, first + 1 + random(100))
    for (const { path, at, length } of some.toReversed()) {
      const bytes = readFileSync(path)
      writeFileSync(path, Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]))
    }
    return `${some.length} from ${some[0]?.number} on`
  },
  'records swapped': (folder, random) => {
    const found = recordsIn(folder)
    const [one, other] = [found[random(found.length)], found[random(found.length)]]
    if (!one || !other || one.path !== other.path || one.length !== other.length) return 'none'
    altered(one.path, (bytes) => {
      const first = bytes.slice(one.at, one.at + one.length)
      bytes.copyWithin(one.at, other.at, other.at + other.length)
      bytes.set(first, other.at)
    })
    return `${one.number} and ${other.number}`
  },
  'the end of a file at the end of another': (folder, random) => {
    const names = segmentsIn(folder)
    const one = readFileSync(join(folder, names[random(names.length)] ?? ''))
    appendFileSync(join(folder, names[random(names.length)] ?? ''), one.subarray(random(one.length)))
    return names.join(' ')
  },
}
