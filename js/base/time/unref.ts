/** Lets the process end while the timer runs. Does nothing in browsers, where a timer is a number. */
export function unref<Timer>(timer: Timer): Timer {
  const { unref } = Object(timer) as { unref?(): void }
  unref?.call(timer)
  return timer
}
