import { useEffect, useRef } from 'preact/hooks'
import { NO_CHART, useLazy } from '../../ui/lazy.tsx'
import type { Drawing, Plot } from './plot.ts'
import { scale } from './view.tsx'

const loadPlot = () => import('./plot.ts')

/** Shows a chart of lines. The first one loads uPlot. */
export function Figure({ label, ...drawing }: { readonly label: string } & Drawing) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot>(undefined)
  const { module, isMissing } = useLazy(loadPlot)
  const distribution = scale.value
  useEffect(() => {
    if (!module || !box.current) return
    const opened = module.openPlot(box.current, drawing, distribution)
    plot.current = opened
    return () => opened.close()
  }, [module, distribution, drawing.yTitle])
  useEffect(() => plot.current?.draw(drawing.lines))
  if (isMissing) return <div class="race-figure">{NO_CHART}</div>
  return <div class="race-figure" ref={box} role="img" aria-label={label} />
}
