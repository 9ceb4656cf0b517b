import type { Cell } from '../../race.ts'
import { PUBLISHED, publishedMicros } from '../../state/race-published.ts'
import { unitText } from './view.tsx'

export const PUBLISHED_TITLE = 'As published in May 2024, other machine (i5-6500), no browser'

/** Shows the report's figures for this cell, if it has any. */
export function PublishedNote({ cell }: { readonly cell: Cell }) {
  const figures = PUBLISHED.flatMap((name) => {
    const published = publishedMicros(name, cell)
    return published === undefined ? [] : [{ name, published }]
  })
  if (figures.length === 0) return null
  return (
    <div class="race-published small">
      <p class="quiet">{PUBLISHED_TITLE}: compare how they grow, not one number with another.</p>
      <dl class="row">
        {figures.map(({ name, published }) => (
          <div key={name}>
            <dt class="quiet">{name}</dt> <dd>{unitText(published)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
