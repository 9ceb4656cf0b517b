import type { Session } from '../session.js'
import { dim, shown } from '../terminal/shown.js'
import { counted } from '../terminal/words.js'
import type { PictureFormat } from './formats.js'
import { mermaidOf } from './mermaid.js'
import type { Picture } from './picture.js'
import { svgOf } from './svg.js'

/** Writes a picture to standard output, and tells what of the lineage is not in it. @param total - payloads of the lineage */
export async function drawPicture(
  picture: Picture,
  total: number,
  format: PictureFormat,
  { out, err }: Pick<Session, 'out' | 'err'>,
): Promise<void> {
  const { text, drawn } =
    format === 'svg' ? { text: svgOf(picture), drawn: picture.boxes.length } : mermaidOf(picture)
  await out.write(text)
  const boxes = picture.boxes.filter(({ name }) => !name.startsWith('set ')).length
  const left = total - boxes + picture.boxes.length - drawn
  if (left > 0)
    await err.line(
      dim(
        shown`the picture has the nearest payloads only, without ${counted(left, 'other')}: --json has all`,
      ),
    )
}
