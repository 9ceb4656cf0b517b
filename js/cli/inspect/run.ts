import { identityBytes } from 'alvarium-sdk/verify'
import { readIfClassic } from '../../classic/read-message.js'
import { messageOf } from '../messages/read.js'
import { EXIT, type Run } from '../session.js'
import { shown, yellow } from '../terminal/shown.js'
import { type Inspected, inspectedClassic, inspectedOurs } from './inspected.js'
import { rowsOf } from './report.js'

export const run: Run<{ readonly json?: boolean }> = async (
  [source = '-'],
  { json = false },
  { out, input },
) => {
  const inspected = inspect(await messageOf(source, input))
  if (json) {
    await out.json(inspected)
    return EXIT.yes
  }
  await out.line(yellow('not verified: anyone may have written this (alvarium verify checks it)'))
  for (const row of rowsOf(inspected)) await out.line(shown`  ${row}`)
  return EXIT.yes
}

function inspect(message: Uint8Array): Inspected {
  const classic = readIfClassic(message)
  return classic ? inspectedClassic(classic) : inspectedOurs(message, identityBytes(message))
}
