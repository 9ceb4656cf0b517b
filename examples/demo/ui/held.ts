import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

/**
 * Returns a list that does not change while the pointer is on it, the focus is in it, or it is scrolled. Spread
 * `holding` on the element that scrolls.
 */
export function useHeld<T>(live: T) {
  const hasPointer = useSignal(false)
  const hasFocus = useSignal(false)
  const isScrolled = useSignal(false)
  const isPaused = useSignal(false)
  const shown = useRef(live)
  const box = useRef<HTMLDivElement>(null)
  const renew = useSignal(0)
  const isHeld = [hasPointer, hasFocus, isScrolled, isPaused].some(({ value }) => value)
  const drawn = useRef(renew.value)
  if (!isHeld || drawn.current !== renew.value) shown.current = live
  drawn.current = renew.value
  return {
    shown: shown.current,
    isHeld,
    /** Holds the list until the newest items are requested. */
    pause: () => {
      isPaused.value = true
    },
    /** Shows the newest items from the top. The list is held again if the pointer or focus is still there. */
    showNewest: () => {
      isPaused.value = false
      if (box.current) box.current.scrollTop = 0
      renew.value++
    },
    holding: {
      ref: box,
      onPointerEnter: () => {
        hasPointer.value = true
      },
      onPointerLeave: () => {
        hasPointer.value = false
      },
      onFocusIn: () => {
        hasFocus.value = true
      },
      onFocusOut: () => {
        hasFocus.value = false
      },
      onScroll: () => {
        isScrolled.value = (box.current?.scrollTop ?? 0) > 0
      },
    },
  }
}
