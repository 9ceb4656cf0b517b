// Keeps one core busy for repeat.mjs, which forks it. It ends when its channel closes, so also when repeat.mjs is
// killed.

const TURN_MS = 50

work()

function work() {
  if (!process.connected) return
  for (const end = performance.now() + TURN_MS; performance.now() < end; );
  setImmediate(work)
}
