import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface RoomProps {
  readonly longest: ComponentChildren
  readonly children: ComponentChildren
}

/**
 * Reserves space for the longest of several texts with an invisible copy, so that nothing below moves at any width.
 */
export function Room({ longest, children }: RoomProps) {
  return (
    <div class="room">
      <div role="status">{children}</div>
      <div class="longest" aria-hidden="true">
        {longest}
      </div>
    </div>
  )
}

/**
 * Sets an element's `--room` to its height before the alteration, or to 0 without an alteration.
 *
 * @param isAltered - whether the element shows an alteration now
 */
export function useRoom(isAltered: boolean): RefObject<HTMLDivElement> {
  const box = useRef<HTMLDivElement>(null)
  const height = useRef(0)
  useLayoutEffect(() => {
    const { current } = box
    if (!isAltered) height.current = current?.offsetHeight ?? 0
    current?.style.setProperty('--room', isAltered ? `${height.current}px` : '0')
  })
  return box as RefObject<HTMLDivElement>
}
