import { vi } from 'vitest'

// In browsers, all files of a project but a few run in one page (vitest.config.ts). What one of them has left to a timer would go by the
// clock that another has stopped, and might keep it busy for ever. The date alone may stand still: nothing waits for it.
const { useFakeTimers } = vi
vi.useFakeTimers = (config) => {
  if (config?.toFake?.join() === 'Date') return useFakeTimers(config)
  throw new Error(
    'expected no stopped timers in the page that all files share: mark the file as one for Node alone or with a page of its own (tests/support/marks.ts)',
  )
}

// A page remembers what it has loaded for 250 files, and forgets what comes after: tests look at what belongs to the package.
performance.setResourceTimingBufferSize(100_000)
