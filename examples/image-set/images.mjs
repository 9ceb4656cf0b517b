// Makes sample pictures: different bitmaps of 16 × 16 pixels, which every viewer can open.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const SIDE = 16
const HEADER = 54

/** @param {string} folder @param {number} count */
export async function writeImages(folder, count) {
  await mkdir(folder, { recursive: true })
  for (let at = 0; at < count; at++) await writeFile(join(folder, `image-${at}.bmp`), bitmap(at))
}

/** Returns a picture of a number. Each bit is a bright or dark bar. @param {number} number */
export function bitmap(number) {
  const pixels = 3 * SIDE * SIDE
  const bytes = Buffer.alloc(HEADER + pixels)
  bytes.write('BM')
  bytes.writeUInt32LE(bytes.length, 2)
  bytes.writeUInt32LE(HEADER, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(SIDE, 18)
  bytes.writeInt32LE(SIDE, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  for (let at = 0; at < pixels; at++)
    bytes[HEADER + at] = (number >> (Math.floor(at / 3) % SIDE)) & 1 ? 220 : 40
  return bytes
}
