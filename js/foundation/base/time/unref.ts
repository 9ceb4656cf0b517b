/** Lets the process end while the timer runs. In browsers, where a timer is a number, it does nothing. */
export function unref<Timer>(timer: Timer): Timer {
  const { unref } = Object(timer) as { unref?(): void }
  unref?.call(timer)
  return timer
}
