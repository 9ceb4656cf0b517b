import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Where an outbox can keep its messages: a folder that is gone when the test is over. */
export function newPlace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-outbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
