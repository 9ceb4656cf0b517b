// `#beside` in pages and in what a bundler makes: nothing. There the core is text, which comes with `alvarium-sdk`, `alvarium-sdk/verify` or
// the application (`alvarium-sdk/slim`): with each name, a page would pay for it that has another core already.

export {}
