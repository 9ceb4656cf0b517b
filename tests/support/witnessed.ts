import type { NoteSigner } from '../witness/logs.mjs'
import { checkpointBy, type LoggedMessage, type Party } from './by-hand.js'
import { messageOf, noteOf } from './checkpoints.js'

/** Returns the only checkpoint of a run, with a line of each witness at a time in seconds since 1970. */
export function witnessedCheckpoint(
  party: Party,
  log: readonly LoggedMessage[],
  lines: readonly (readonly [witness: NoteSigner, time: number])[],
): Uint8Array {
  const at = '2026-05-01T11:30:00.000000Z'
  const around = { run: 'a'.repeat(32), number: 0, first: 0, from: at, at, end: true }
  const note = noteOf(checkpointBy(party, { ...around, log }))
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1)
  return messageOf(note + lines.map(([witness, time]) => witness.line(text, time)).join(''))
}
