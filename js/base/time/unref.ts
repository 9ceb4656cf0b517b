/** Lets the process end while the timer runs. In browsers a timer is a number, and nothing has to be done. */
export function unref<Timer>(timer: Timer): Timer {
  const { unref } = Object(timer) as { unref?(): void }
  unref?.call(timer)
  return timer
}
