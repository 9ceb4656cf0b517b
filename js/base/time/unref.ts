/** Has a timer keep no process alive by itself. In browsers a timer is a number, and there is no such thing. */
export function unref<Timer>(timer: Timer): Timer {
  const { unref } = Object(timer) as { unref?(): void }
  unref?.call(timer)
  return timer
}
