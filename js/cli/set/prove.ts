import { type KeyList, proveAbsent, proveMember } from 'alvarium-sdk/sets'
import { invalid } from '../fault.js'
import { noteRecords } from '../input/payloads.js'
import type { ExitCode, Run, Session } from '../session.js'
import { safeText, yellow } from '../terminal/shown.js'
import { type AskedPayload, askedPayload, variantsOf } from './asked.js'
import { assertFree, listIn, ofLists, saltIn, writeMessage } from './files.js'
import { isManifestFile } from './manifests.js'
import { provedRecord } from './prove-record.js'
import { type ProveOptions, reportOutcome } from './proving.js'

export const run: Run<ProveOptions> = ([file = '', payload], options, session) =>
  ofLists(async () => {
    assertFree('--out', options.out)
    if (await isManifestFile(file)) return provedRecord(file, payload, options, session)
    if (payload === undefined) throw invalid('payload', 'a payload, as the list is no manifest', 'none')
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
  const asked = await askedPayload(payload, options, session)
  const shows = list.has(asked.item) ? 'member' : 'absent'
  const isExpected = shows === (options.expect ?? 'member')
  if (isExpected) {
    const prove = shows === 'member' ? proveMember : proveAbsent
    await writeMessage(prove(list, asked.item), options.out, session)
  }
  // A list does not contain the salt of its set.
  const note = shows === 'member' || salt ? '' : ', or the set has a salt: give it with --salt'
  const where = shows === 'member' ? 'a member of the set' : 'absent from the set'
  const says = `${asked.name} is ${where}, by its list${note}`
  const code = await reportOutcome({ outcome: isExpected ? 'holds' : 'does not hold', says }, session)
  if (shows === 'absent') await hint(list, asked, payload, options, session)
  return code
}

/**
 * Prints notes about a probable mistake: a record with the line end of its file, or a file that was sealed
 * record by record.
 */
async function hint(
  list: KeyList,
  asked: AskedPayload,
  path: string,
  options: ProveOptions,
  session: Session,
): Promise<void> {
  for (const { how } of variantsOf(asked).filter((one) => list.has(one.bytes)))
    await session.err.line(
      safeText`${yellow('note')}  ${how} it is in the set: give it so, or the file that it is from with --record and its number`,
    )
  if (!options.payloadKey && options.record === undefined) await noteRecords(path, session)
}
