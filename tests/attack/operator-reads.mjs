// Findings of a reader with a quorum of witnesses, by the package alone.

import { Completeness } from 'alvarium-sdk/completeness'
import { askWitnesses } from 'alvarium-sdk/witness'
import { PATIENT } from './operator-makes.mjs'

const LIES = /witness\.example\/liar (?:has signed|at size)|line of witness\.example\/liar /

/**
 * Reports on all evidence shown, by key id.
 *
 * @param {readonly { message: Uint8Array, verified: any }[]} messages @param {readonly object[]} notes
 */
function reportsBy(witnesses, { messages, notes }) {
  const found = new Completeness({
    witnesses: witnesses.map(({ vkey }) => vkey),
    quorum: 2,
    toleranceMs: 1_000,
  })
  for (const note of notes) found.addCheckpoint(note)
  for (const { message, verified } of messages) found.addMessage(message, verified)
  return new Map(found.report().map((report) => [report.signer, report]))
}

/**
 * Reports by three witnesses. If one is reported as a liar, the two others are the quorum.
 *
 * @returns reports by key id, and the number of reports of the liar
 */
export function judge(witnesses, shown) {
  const reports = reportsBy(witnesses, shown)
  const accused = [...reports.values()].filter(({ witnessed }) =>
    witnessed?.faults.some((one) => LIES.test(one)),
  )
  if (accused.length === 0) return { reports, named: 0 }
  const others = reportsBy(witnesses.slice(1), shown)
  for (const { signer } of accused) reports.set(signer, others.get(signer))
  return { reports, named: accused.length }
}

/** Asks the witnesses about the newest note shown. @returns the answers on which two of them agree */
export async function newestOf(witnesses, note) {
  const own = note.slice(0, note.indexOf('\n', note.lastIndexOf('\n\n') + 2) + 1)
  const { answers } = await askWitnesses(own, { witnesses, ...PATIENT })
  const told = answers.map(({ outcome, size }) => `${outcome} ${size ?? ''}`.trim())
  return told.find((one, at) => told.indexOf(one) !== at)
}
