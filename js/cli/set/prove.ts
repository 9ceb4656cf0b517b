import { proveAbsent, proveMember } from 'alvarium-sdk/sets'
import { noteRecords } from '../input/payloads.js'
import { EXIT, type Run } from '../session.js'
import { green, shown, yellow } from '../terminal/shown.js'
import { type AskedItem, assertFree, itemOf, listIn, saltIn, writeMessage } from './files.js'

/** What `alvarium set prove` can be asked for. */
interface ProveOptions extends AskedItem {
  readonly out?: string
}

export const run: Run<ProveOptions> = async ([file = '', payload = ''], options, session) => {
  assertFree('--out', options.out)
  const salt = await saltIn(options.salt)
  const list = await listIn(file, salt, session)
  const item = await itemOf(payload, options, session)
  const isMember = list.has(item)
  await writeMessage(isMember ? proveMember(list, item) : proveAbsent(list, item), options.out, session)
  // A list does not say whether it has a salt.
  const note = salt ? '' : ', or the set has a salt: give it with --salt'
  const said = isMember
    ? shown`${green('✓')} it is in the set`
    : shown`${yellow('–')} it is not in the set${note}`
  await session.err.line(said)
  if (!isMember && !options.payloadKey) await noteRecords(payload, session)
  return EXIT.yes
}
