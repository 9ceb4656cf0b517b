import type { ComponentChildren } from 'preact'
import { BOX, type Point } from './geometry.ts'

interface Props {
  readonly place: Point | undefined
  /** Class names of the box, besides `node` and `picked`. */
  readonly looks: string
  /** Text of the content for screen readers. */
  readonly label: string
  readonly isPicked: boolean
  readonly isDisabled?: boolean
  readonly onPick: () => void
  readonly onLook?: (isLookedAt: boolean) => void
  readonly children: ComponentChildren
}

/** Shows a payload in a graph: a button with a drawing on it. */
export function Box(props: Props) {
  const { place = { x: 0, y: 0 }, looks, label, isPicked, isDisabled, onPick, onLook, children } = props
  return (
    <g class={`node ${looks} ${isPicked ? 'picked' : ''}`} transform={`translate(${place.x} ${place.y})`}>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of SVG without a tabindex takes no focus */}
      <g aria-hidden="true">
        <rect class="box" width={BOX.width} height={BOX.height} rx="6" />
        {children}
      </g>
      {/* biome-ignore lint/a11y/useSemanticElements: SVG has no button */}
      <rect
        class="hit"
        width={BOX.width}
        height={BOX.height}
        rx="6"
        role="button"
        // SVG attributes are case-sensitive: Firefox does not know tabIndex.
        tabindex={0}
        aria-label={label}
        aria-pressed={isPicked}
        aria-disabled={isDisabled}
        onClick={onPick}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return
          event.preventDefault()
          onPick()
        }}
        onPointerEnter={() => onLook?.(true)}
        onPointerLeave={() => onLook?.(false)}
        onFocus={() => onLook?.(true)}
        onBlur={() => onLook?.(false)}
      />
    </g>
  )
}
