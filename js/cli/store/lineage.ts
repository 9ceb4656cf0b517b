import type { Lineage, Store } from 'alvarium-sdk/store'
import { assertPictureFile, type DrawOptions, drawPicture } from '../lineage/draw-picture.js'
import { Parties } from '../lineage/parties.js'
import { MAX_PICTURED, type Picture, type PicturedPayload, pictureOf } from '../lineage/picture.js'
import { forgottenText, indent, keyText, setText } from '../score/report.js'
import { EXIT, type Run, type Session } from '../session.js'
import { dim, type SafeText, safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { type DatabaseOptions, withStore } from './database.js'
import { type PayloadOptions, payloadIn } from './payload.js'

interface LineageOptions extends DatabaseOptions, PayloadOptions, DrawOptions {
  readonly down?: boolean
  readonly limit: number
  readonly implied?: boolean
}

export const run: Run<LineageOptions> = async ([argument = ''], options, session) => {
  const { out, err } = session
  const { down = false, limit, implied = false } = options
  assertPictureFile(options)
  const payload = await payloadIn(argument, options, session)
  const title = `Lineage of ${argument === '-' ? payload.key : argument}`
  const asking = { direction: down ? 'down' : 'up', limit, implied } as const
  const { payloads, isWhole } = await withStore(options, session, async (store) => {
    const lineage = await store.lineage(payload, asking)
    if (options.as) await draw(store, lineage, { ...options, title, direction: asking.direction }, session)
    return lineage
  })
  for (const one of options.as ? [] : payloads) {
    const json = { ...one, madeFrom: one.madeFrom.map((at) => payloads[at]?.key) }
    await out.show(options.json, json, () => lineageRows(one, down))
  }
  if (!isWhole)
    await err.line(dim(safeText`there are more than ${countOf(limit, 'payload')}: --limit has more shown`))
  return EXIT.yes
}

function lineageRows(
  { depth, madeFromSets = [], forgottenAt, ...name }: Lineage['payloads'][number],
  down: boolean,
): SafeText[] {
  const prefix = depth === 0 ? '' : dim(down ? 'made into ' : 'made from ')
  return [
    safeText`${indent(depth)}${prefix}${keyText(name)}`,
    ...madeFromSets.map((set) => safeText`${indent(depth + 1)}${dim('made from ')}${setText(set)}`),
    ...(forgottenAt === undefined ? [] : [safeText`${indent(depth + 1)}${forgottenText(forgottenAt)}`]),
  ]
}

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
      key,
      hash,
      depth,
      pruned,
      madeFrom: one.madeFrom.flatMap((at) => payloads[at] ?? []),
      madeFromSets: one.madeFromSets ?? [],
      hasMore: next !== undefined,
    })
  }
  await drawPicture(pictureOf(pictured, parties, title, direction), payloads.length, options, session)
}
