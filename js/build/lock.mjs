import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const RETRY_MS = 200

/**
 * Acquires a lock file, because two builds in one checkout would break each other. Waits while the process
 * that has the lock runs.
 *
 * @param {string} file that contains the id of the process with the lock
 * @returns {Promise<() => void>} a function that releases the lock
 */
export async function lock(file) {
  for (let isAnnounced = false; !isTaken(file); isAnnounced = true) {
    const owner = ownerOf(file)
    if (!isRunning(owner)) rmSync(file, { force: true })
    else if (!isAnnounced) console.error(`Waiting for process ${owner}, which builds in this folder too …`)
    await setTimeout(RETRY_MS)
  }
  return () => rmSync(file, { force: true })
}

/**
 * Tries to create the lock file, and returns whether this process has the lock now.
 *
 * @param {string} file
 * @returns {boolean}
 */
function isTaken(file) {
  // Link to a complete file, because a new file is empty for a moment, and another process would find no id
  // in it.
  const own = `${file}.${process.pid}`
  writeFileSync(own, `${process.pid}`)
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own)
  }
}

/** @param {string} file */
function ownerOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return 0
    throw error
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
