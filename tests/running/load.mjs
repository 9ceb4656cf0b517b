// Keeps one core busy, for repeat.mjs, which forks it: for as long as the channel to that is open, so that it also ends when
// that was killed.

const TURN_MS = 50

work()

function work() {
  if (!process.connected) return
  for (const end = performance.now() + TURN_MS; performance.now() < end; );
  setImmediate(work)
}
