import { noteRecords } from '../input/payloads.js'
import { EXIT, type Run } from '../session.js'
import { shown, yellow } from '../terminal/shown.js'
import { type DatabaseOptions, withStore } from './database.js'
import { type PayloadOptions, payloadIn } from './payload.js'
import { prunedRow, UNSIGNED } from './prune.js'

/** What `alvarium store forget` can be asked for. */
interface ForgetArguments extends DatabaseOptions, PayloadOptions {
  readonly json?: boolean
}

export const run: Run<ForgetArguments> = async ([asked = ''], options, session) => {
  const payload = await payloadIn(asked, options, session)
  session.begin()
  const done = await withStore(options, session, (store) => store.forget(payload))
  if (options.json) await session.out.json(done)
  else await session.out.line(prunedRow(done))
  if (done.bundles > 0) {
    await session.err.line(UNSIGNED)
    return EXIT.yes
  }
  await session.err.line(shown`${yellow('?')} no bundle of this store names this payload`)
  if (!options.payloadKey) await noteRecords(asked, session)
  return EXIT.unknown
}
