import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Returns a place for an outbox: a folder that is deleted when the test is over. */
export function newPlace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'alvarium-outbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
