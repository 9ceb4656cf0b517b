import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

/** Returns a list that stays unchanged while in use. Spread `holding` on the scrolling element. */
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
    /** Stops updating the list until `showNewest` is called. */
    pause: () => {
      isPaused.value = true
    },
    /** Shows the newest items. Updates stop again if the pointer or focus is in the list. */
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
