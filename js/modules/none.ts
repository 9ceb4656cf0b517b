// `#beside` in pages and in what a bundler makes: nothing. There the core is text. It comes with what is used of names that import `#modules`, or from
// the application (`alvarium-sdk/slim`). If it came with each name, a page that has the core already would pay for it again.

export {}
