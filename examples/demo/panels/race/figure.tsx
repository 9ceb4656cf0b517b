import { useEffect, useRef } from 'preact/hooks'
import type { Drawing, Plot } from './plot.ts'
import { scale } from './view.tsx'

/** A chart of lines. uPlot is loaded with the first of them. */
export function Figure({ label, ...drawing }: { readonly label: string } & Drawing) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot>(undefined)
  const newest = useRef(drawing)
  newest.current = drawing
  const distribution = scale.value
  useEffect(() => {
    let isGone = false
    import('./plot.ts').then(({ openPlot }) => {
      if (!isGone && box.current) plot.current = openPlot(box.current, newest.current, distribution)
    })
    return () => {
      isGone = true
      plot.current?.close()
      plot.current = undefined
    }
  }, [distribution, drawing.yTitle])
  useEffect(() => plot.current?.draw(drawing.lines))
  return <div class="race-figure" ref={box} role="img" aria-label={label} />
}
