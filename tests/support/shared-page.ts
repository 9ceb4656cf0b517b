import { vi } from 'vitest'

// In browsers, most files of a project share one page (vitest.config.ts). A timer left by one file would run by the
// clock that another has stopped, perhaps forever. Only the date may stand still, because no timer waits for it.
const { useFakeTimers } = vi
vi.useFakeTimers = (config) => {
  if (config?.toFake?.join() === 'Date') return useFakeTimers(config)
  throw new Error(
    'expected no stopped timers in the page that all files share: mark the file as one for Node alone or with a page of its own (tests/support/marks.ts)',
  )
}

// A page records 250 loaded files, and no more: tests look for the package's own.
performance.setResourceTimingBufferSize(100_000)
