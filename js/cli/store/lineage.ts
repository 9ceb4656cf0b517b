import type { Lineage, Store } from 'alvarium-sdk/store'
import { assertDrawn, type DrawOptions, drawPicture } from '../lineage/drawn.js'
import { Parties } from '../lineage/parties.js'
import { MAX_PICTURED, type Picture, type PicturedPayload, pictureOf } from '../lineage/picture.js'
import { forgottenText, indent, keyText, setText } from '../score/report.js'
import { EXIT, type Run, type Session } from '../session.js'
import { dim, type Shown, shown } from '../terminal/shown.js'
import { counted } from '../terminal/words.js'
import { type DatabaseOptions, withStore } from './database.js'
import { type PayloadOptions, payloadIn } from './payload.js'

interface LineageOptions extends DatabaseOptions, PayloadOptions, DrawOptions {
  readonly down?: boolean
  readonly limit: number
  readonly implied?: boolean
  readonly json?: boolean
}

export const run: Run<LineageOptions> = async ([asked = ''], options, session) => {
  const { out, err } = session
  const { down = false, limit, implied = false, json = false } = options
  assertDrawn(options)
  const payload = await payloadIn(asked, options, session)
  const title = `Lineage of ${asked === '-' ? payload.key : asked}`
  const asking = { direction: down ? 'down' : 'up', limit, implied } as const
  const { payloads, isWhole } = await withStore(options, session, async (store) => {
    const lineage = await store.lineage(payload, asking)
    if (options.as) await draw(store, lineage, { ...options, title, direction: asking.direction }, session)
    return lineage
  })
  for (const one of options.as ? [] : payloads) {
    if (json) await out.json({ ...one, madeFrom: one.madeFrom.map((at) => payloads[at]?.key) })
    else for (const row of rowsOf(one, down)) await out.line(row)
  }
  if (!isWhole)
    await err.line(dim(shown`there are more than ${counted(limit, 'payload')}: --limit has more shown`))
  return EXIT.yes
}

function rowsOf(
  { depth, madeFromSets = [], forgottenAt, ...name }: Lineage['payloads'][number],
  down: boolean,
): Shown[] {
  const how = depth === 0 ? '' : dim(down ? 'made into ' : 'made from ')
  return [
    shown`${indent(depth)}${how}${keyText(name)}`,
    ...madeFromSets.map((set) => shown`${indent(depth + 1)}${dim('made from ')}${setText(set)}`),
    ...(forgottenAt === undefined ? [] : [shown`${indent(depth + 1)}${forgottenText(forgottenAt)}`]),
  ]
}

/** Bundles about one payload in a picture, which people read. */
const MAX_BUNDLES = 1_000

async function draw(
  store: Store,
  { payloads }: Lineage,
  { title, direction, ...options }: DrawOptions & Pick<Picture, 'title' | 'direction'>,
  session: Session,
): Promise<void> {
  const parties = new Parties()
  const pictured: PicturedPayload[] = []
  for (const one of payloads.slice(0, MAX_PICTURED)) {
    const { key, hash, depth, pruned } = one
    const { bundles, next } = await store.history({ key, hash }, { limit: MAX_BUNDLES })
    for (const bundle of bundles) parties.add(one, { ...bundle, signer: bundle.signedBy ?? bundle.signer })
    pictured.push({
      ...{ key, hash, depth, pruned },
      madeFrom: one.madeFrom.flatMap((at) => payloads[at] ?? []),
      madeFromSets: one.madeFromSets ?? [],
      hasMore: next !== undefined,
    })
  }
  await drawPicture(pictureOf(pictured, parties, title, direction), payloads.length, options, session)
}
