// Preloaded into a child process: ends it when its parent is gone, even by kill -9.
const parent = process.ppid
setInterval(() => process.ppid !== parent && process.exit(1), 500).unref()
