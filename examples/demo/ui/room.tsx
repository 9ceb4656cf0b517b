import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface RoomProps {
  /** The text that takes most room. */
  readonly longest: ComponentChildren
  readonly children: ComponentChildren
}

/** Keeps the room for the longest of several texts, which is there unseen: nothing below moves, at any width. */
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

/** Tells an element's style, as `--room`, how high it was before something was altered. @param isAltered - now */
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
