/** Figures of the performance report, by cell. */
import { BY_ANNOTATORS, BY_PAYLOAD } from '../../../bench/report/published.mjs'
import type { Cell } from '../race.ts'

/** Numbers of annotators and payload sizes of the report's rows. */
const ANNOTATORS = [0, 1, 3, 5, 7, 10]
const PAYLOADS = [0, 1000, 5000, 10_000, 20_000, 80_000]

/** Names of the implementations in the report's figures. */
export const PUBLISHED = Object.keys(BY_ANNOTATORS.columns)

/** Returns microseconds per call; undefined if the report has no figure for the cell. */
export function publishedMicros(name: string, { annotators, payloadBytes }: Cell): number | undefined {
  const isFirst = payloadBytes === 20_000
  if (!isFirst && annotators !== 5) return undefined
  const { columns, calls } = isFirst ? BY_ANNOTATORS : BY_PAYLOAD
  const seconds = columns[name]?.[isFirst ? ANNOTATORS.indexOf(annotators) : PAYLOADS.indexOf(payloadBytes)]
  return seconds === undefined ? undefined : (seconds * 1e6) / calls
}
