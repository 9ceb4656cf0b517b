import { onlyWith } from '../fault.js'
import type { Session } from '../session.js'
import { assertFree, writeNew } from '../set/files.js'
import { dim, safeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import type { PictureFormat } from './formats.js'
import { mermaidOf } from './mermaid.js'
import type { Picture } from './picture.js'
import { svgOf } from './svg.js'

export interface DrawOptions {
  readonly as?: PictureFormat
  readonly out?: string
}

export function assertPictureFile({ as, out }: DrawOptions): void {
  if (out !== undefined && as === undefined) throw onlyWith('--out', '--as svg or --as mermaid')
  assertFree('--out', out)
}

/**
 * Writes a picture to a new file or to standard output, and reports how many payloads it omits.
 *
 * @param total - number of payloads in the lineage
 */
export async function drawPicture(
  picture: Picture,
  total: number,
  { as: format, out: path }: DrawOptions,
  session: Session,
): Promise<void> {
  const { out, err } = session
  const { text, drawn } =
    format === 'svg' ? { text: svgOf(picture), drawn: picture.boxes.length } : mermaidOf(picture)
  if (path === undefined) await out.write(text)
  else await writeNew('--out', path, [text], session)
  const boxes = picture.boxes.filter(({ name }) => !name.startsWith('set ')).length
  const left = total - boxes + picture.boxes.length - drawn
  if (left > 0)
    await err.line(
      dim(
        safeText`the picture has the nearest payloads only, without ${countOf(left, 'other')}: --json has all`,
      ),
    )
}
