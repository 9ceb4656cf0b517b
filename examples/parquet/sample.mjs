// Makes a sample Parquet file with readings in row groups of 1,000 rows.

import { writeFile } from 'node:fs/promises'
import { parquetWriteBuffer } from 'hyparquet-writer'

const GROUP = 1_000

/** @param {string} path @param {number} rows @param {(row: number) => number} celsius */
export async function writeReadings(path, rows, celsius = reading) {
  const numbers = Array.from({ length: rows }, (_, row) => row)
  const minutes = numbers.map((row) => row % GROUP)
  const columnData = [
    { name: 'minute', data: minutes, type: /** @type {const} */ ('INT32') },
    { name: 'celsius', data: numbers.map(celsius), type: /** @type {const} */ ('DOUBLE') },
  ]
  await writeFile(path, new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: GROUP })))
}

/** @param {number} row */
export const reading = (row) => 20 + (row % 97) / 10
