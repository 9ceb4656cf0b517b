// Preloaded into a child: ends it when whoever started it is gone, also by kill -9.
const parent = process.ppid
setInterval(() => process.ppid !== parent && process.exit(1), 500).unref()
