/**
 * By then what is waited for hangs: less than Vitest gives a test (vitest.config.ts), so that the error says where. Nothing
 * that works takes that long, on any machine.
 */
export const HANGS_MS = 100_000
