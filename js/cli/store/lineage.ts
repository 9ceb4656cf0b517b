import type { Lineage } from 'alvarium-sdk/store'
import { indent, keyText, setText } from '../score/report.js'
import { EXIT, type Run } from '../session.js'
import { dim, type Shown, shown } from '../terminal/shown.js'
import { counted } from '../terminal/words.js'
import { type DatabaseOptions, withStore } from './database.js'
import { type PayloadOptions, payloadIn } from './payload.js'

/** What `alvarium store lineage` can be asked for. */
interface LineageOptions extends DatabaseOptions, PayloadOptions {
  readonly down?: boolean
  readonly limit: number
  readonly implied?: boolean
  readonly json?: boolean
}

export const run: Run<LineageOptions> = async ([asked = ''], options, session) => {
  const { out, err } = session
  const { down = false, limit, implied = false, json = false } = options
  const payload = await payloadIn(asked, options, session)
  const asking = { direction: down ? 'down' : 'up', limit, implied } as const
  const { payloads, isWhole } = await withStore(options, session, (store) => store.lineage(payload, asking))
  for (const one of payloads) {
    if (json) await out.json({ ...one, madeFrom: one.madeFrom.map((at) => payloads[at]?.key) })
    else for (const row of rowsOf(one, down)) await out.line(row)
  }
  if (!isWhole)
    await err.line(dim(shown`there are more than ${counted(limit, 'payload')}: --limit has more shown`))
  return EXIT.yes
}

function rowsOf({ depth, madeFromSets = [], ...name }: Lineage['payloads'][number], down: boolean): Shown[] {
  const how = depth === 0 ? '' : dim(down ? 'made into ' : 'made from ')
  return [
    shown`${indent(depth)}${how}${keyText(name)}`,
    ...madeFromSets.map((set) => shown`${indent(depth + 1)}${dim('made from ')}${setText(set)}`),
  ]
}
