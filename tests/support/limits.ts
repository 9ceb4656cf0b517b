/**
 * Time after which a wait counts as hung: less than Vitest's limit for a test (vitest.config.ts), so that the error
 * names the wait. No passing test waits so long, on any machine.
 */
export const HANGS_MS = 100_000
