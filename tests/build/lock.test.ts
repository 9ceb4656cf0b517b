import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lock } from '../../js/build/lock.mjs'

describe('the lock file of build commands', () => {
  let file: string
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), 'alvarium-lock-')), 'lock')
  })
  afterEach(() => rmSync(join(file, '..'), { recursive: true }))

  it('contains the id of the process that holds the lock until the lock is released', async () => {
    const unlock = await lock(file)
    expect(readFileSync(file, 'utf8')).toBe(`${process.pid}`)
    unlock()
    expect(existsSync(file)).toBe(false)
  })

  it('makes a second command wait, which prints the id of the process that holds the lock', async () => {
    const say = vi.spyOn(console, 'error').mockImplementation(() => {})
    const unlock = await lock(file)
    let isSecond = false
    const second = lock(file).then((release) => {
      isSecond = true
      return release
    })
    await vi.waitFor(() =>
      expect(say).toHaveBeenCalledWith(expect.stringContaining(`process ${process.pid}`)),
    )
    expect(isSecond).toBe(false)
    unlock()
    const release = await second
    expect(say).toHaveBeenCalledTimes(1)
    release()
    say.mockRestore()
  })

  it('is taken over from a process that has ended', async () => {
    const { pid } = spawnSync(process.execPath, ['--eval', '0'])
    writeFileSync(file, `${pid}`)
    const unlock = await lock(file)
    expect(readFileSync(file, 'utf8')).toBe(`${process.pid}`)
    unlock()
  })
})
