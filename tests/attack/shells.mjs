// Texts that a visitor copies from the page into a terminal, in each shell that the command supports: none may run.

import { byTests } from './by-tests.mjs'

/** @param {{ count: number }} options - the number of texts for each shell */
export function shells({ count }) {
  return byTests(['tests/cli/shells.test.ts'], { env: { SHELL_TEXTS: `${count}` }, each: count })
}
