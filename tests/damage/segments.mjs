// Reads an outbox's files of records by FORMAT.md.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the names of the files of records, the oldest first. @param {string} folder */
export const segmentsIn = (folder) =>
  readdirSync(folder)
    .filter((name) => /^records-\d+$/.test(name))
    .sort((one, other) => Number(one.slice(8)) - Number(other.slice(8)))

/** Returns the places of the records of an undamaged store. @param {string} folder */
export function recordsIn(folder) {
  return segmentsIn(folder).flatMap((name) => {
    const path = join(folder, name)
    const bytes = readFileSync(path)
    const found = []
    for (let at = 0; at < bytes.length; ) {
      const length = bytes.readUInt32LE(at + 8)
      found.push({ path, at, length, number: bytes.readDoubleLE(at + 16) })
      at += length
    }
    return found
  })
}
