// Ends a child process when its parent is gone, even after kill -9. Preloaded with `--import`.
const parent = process.ppid
setInterval(() => process.ppid !== parent && process.exit(1), 500).unref()
