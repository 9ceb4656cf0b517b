// What can happen to the files of a store while no process has it open. Each fault gets the folder and random numbers, and says
// what it did.

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
import { ClassicLevel } from 'classic-level'

/** @typedef {import('./random.mjs').Random} Random */
/** @typedef {(folder: string, random: Random) => string | Promise<string>} Fault */

/** Files of a store that have something in them; LevelDB's own log in words says nothing. @param {string} folder */
const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && !entry.name.startsWith('LOG') && statSync(join(folder, entry.name)).size > 0,
    )
    .map(({ name }) => name)
    .sort()

/** Large files more often than small ones half of the time. @param {string} folder @param {Random} random */
function anyFile(folder, random) {
  const names = filesIn(folder)
  const largest = names.toSorted(
    (one, other) => statSync(join(folder, other)).size - statSync(join(folder, one)).size,
  )
  return (random(2) === 0 ? largest[0] : names[random(names.length)]) ?? 'CURRENT'
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
  'foreign keys': async (folder, random) => {
    const level = new ClassicLevel(folder, { valueEncoding: 'view', compression: false })
    await level.open()
    const keys = ['hello', '!', '~', '1', '9999999999999999', '0000000000005000', '0000000000000000', 'mark']
    const some = keys.filter(() => random(2) === 0)
    for (const key of some)
      await level.put(
        key,
        Uint8Array.from({ length: random(500) }, () => random(256)),
      )
    await level.close()
    return some.join(' ')
  },
  'a record altered in its place': async (folder, random) => {
    const level = new ClassicLevel(folder, { valueEncoding: 'view', compression: false })
    await level.open()
    const key = String(400 + random(600)).padStart(16, '0')
    const record = await level.get(key)
    if (record) record[random(record.length)] ^= 1 << random(8)
    if (record) await level.put(key, record)
    await level.close()
    return key
  },
  'records deleted': async (folder, random) => {
    const level = new ClassicLevel(folder, { valueEncoding: 'view', compression: false })
    await level.open()
    const first = 301 + random(700)
    const last = Math.min(1000, first + random(100))
    for (let number = first; number <= last; number++) await level.del(String(number).padStart(16, '0'))
    // Without what its tables still have of them.
    await level.compactRange('0', '9')
    await level.close()
    return `${first} to ${last}`
  },
}
