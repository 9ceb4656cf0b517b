import { type KeyList, type Manifest, proveAbsent, proveMember, proveRecord } from 'alvarium-sdk/sets'
import { entryOf } from '../../evidence/sets/key-list.js'
import { CONTENTS } from '../../evidence/sets/manifest.js'
import { needs } from '../../foundation/base/errors.js'
import { invalid } from '../fault.js'
import { noteRecords } from '../input/payloads.js'
import type { ExitCode, Run, Session } from '../session.js'
import { countOf } from '../terminal/words.js'
import { type AskedPayload, type AskOptions, askedPayload, variantsOf } from './asked.js'
import { assertFree, listIn, reportOutcome, runWithLists, saltIn, writeMessage } from './files.js'
import { assertSalted, isManifestFile, ownManifestIn } from './manifests.js'

export const run: Run<ProveOptions> = ([file = '', payload], options, session) =>
  runWithLists(async () => {
    assertFree('--out', options.out)
    if (await isManifestFile(file)) return provedRecord(file, payload, options, session)
    if (payload === undefined)
      throw needs('payload', 'the file of the payload, because --record alone works only with a manifest')
    return proveKey(file, payload, options, session)
  }, session)

async function proveKey(
  file: string,
  payload: string,
  options: ProveOptions,
  session: Session,
): Promise<ExitCode> {
  const salt = await saltIn(options.salt)
  const list = await listIn(file, salt, session)
  const requestedPayload = await askedPayload(payload, options, session)
  const shows = list.has(requestedPayload.item) ? 'member' : 'absent'
  const isExpected = shows === (options.expect ?? 'member')
  if (isExpected) {
    const prove = shows === 'member' ? proveMember : proveAbsent
    await writeMessage(prove(list, requestedPayload.item), options.out, session)
  }
  // Mention the salt, because a list does not show whether its set has one.
  const note = shows === 'member' || salt ? '' : ', or the set has a salt: give it with --salt'
  const where = shows === 'member' ? 'a member of the set' : 'absent from the set'
  const says = `${requestedPayload.name} is ${where}, by its list${note}`
  const code = await reportOutcome({ outcome: isExpected ? 'holds' : 'does not hold', says }, session)
  if (shows === 'absent') await hint(list, requestedPayload, payload, options, session)
  return code
}

/** Prints notes about likely mistakes: a record with a line end, or a file sealed record by record. */
async function hint(
  list: KeyList,
  requestedPayload: AskedPayload,
  path: string,
  options: ProveOptions,
  session: Session,
): Promise<void> {
  for (const { how } of variantsOf(requestedPayload).filter((one) => list.has(one.bytes)))
    await session.err.note(
      `${how} it is in the set: give it so, or the file that it is from with --record and its number`,
    )
  if (!options.payloadKey && options.record === undefined) await noteRecords(path, session)
}

async function provedRecord(
  file: string,
  payload: string | undefined,
  options: ProveOptions,
  session: Session,
): Promise<ExitCode> {
  const { record, expect, out } = options
  if (expect === 'absent') {
    throw invalid('--expect', '"member" for a manifest', '"absent" (alvarium check finds missing records)')
  }
  const manifest = await ownManifestIn(file, await saltIn(options.salt), session)
  const { size } = manifest.statement
  if (record !== undefined && record > size) {
    throw invalid('--record', `1 to ${size}, the number of a record`, `${record}`)
  }
  const number = payload === undefined ? record : await numberOf(manifest, payload, options, session)
  if (number === undefined)
    throw needs('payload', 'the file of the record, or --record with the number of the record')
  if (number === 0)
    return reportOutcome({ outcome: 'does not hold', says: absentBy(manifest, record) }, session)
  await writeMessage(proveRecord(manifest, number), out, session)
  return reportOutcome({ outcome: 'holds', says: `it is record ${number} of the manifest` }, session)
}

function absentBy({ statement }: Manifest, record: number | undefined): string {
  if (record === undefined)
    return `the manifest does not list it among its ${countOf(statement.size, 'record')}`
  return `record ${record} of the manifest is a different one`
}

/**
 * Returns the number of the record, from 1. Returns 0 if the manifest does not contain the record, or
 * contains another one at `--record`.
 */
async function numberOf(
  manifest: Manifest,
  payload: string,
  options: ProveOptions,
  session: Session,
): Promise<number> {
  const { entries, salt } = manifest[CONTENTS]
  assertSalted(manifest.statement, salt)
  const entry = entryOf((await askedPayload(payload, options, session)).item, salt)
  const isAt = (at: number) => entries.compare(at, entry, 0) === 0
  const { record } = options
  if (record !== undefined) return isAt(record - 1) ? record : 0
  for (let at = 0; at < entries.length; at++) if (isAt(at)) return at + 1
  return 0
}

interface ProveOptions extends AskOptions {
  readonly out?: string
}
