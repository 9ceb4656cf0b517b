// Finds the lines that a change adds, by git.

import { execFileSync } from 'node:child_process'

/** Branches that a change is compared with. */
const MAIN = ['main@{upstream}', 'origin/main', 'main']

/**
 * Returns the commit that a change begins at: on a branch, the newest commit that it shares with main. On main, it is the last one that
 * was pushed, or else the last tag, or else the commit `since`. In a clone that has none of these, it is the last commit, so that only
 * uncommitted lines are new.
 *
 * @param {string} root @param {string} since
 */
export function baseOf(root, since) {
  const head = gitOrNothing(root, 'rev-parse', 'HEAD')
  const isOnBranch = !['', 'main'].includes(gitOrNothing(root, 'branch', '--show-current'))
  const tag = gitOrNothing(root, 'describe', '--tags', '--abbrev=0')
  const bases = [...MAIN, tag, since].map((name) => name && gitOrNothing(root, 'merge-base', 'HEAD', name))
  return bases.find((base) => base !== '' && (isOnBranch || base !== head)) ?? head
}

/**
 * Returns a function that tells whether a line was added since a commit. A moved line was not.
 *
 * @param {string} root @param {string} base @returns {(path: string, line: number) => boolean}
 */
export function addedSince(root, base) {
  const newFiles = new Set(git(root, 'ls-files', '--others', '--exclude-standard').split('\n'))
  const form = ['--unified=0', '--find-renames', '--no-color', '--no-ext-diff', '--dst-prefix=b/']
  const { added, removed } = linesOf(git(root, 'diff', ...form, base))
  return (path, line) => {
    const text = added.get(`${path}:${line}`)
    return newFiles.has(path) || (text !== undefined && !removed.has(text))
  }
}

/** Reads a diff: the texts of added lines by their places, and the texts of removed lines. */
function linesOf(diff) {
  const added = new Map()
  const removed = new Set()
  let [path, line] = ['', 0]
  for (const text of diff.split('\n')) {
    if (text.startsWith('+++ ')) path = text.slice('+++ b/'.length)
    else if (text.startsWith('@@ ')) line = Number(/\+(\d+)/.exec(text)?.[1])
    else if (text.startsWith('+')) added.set(`${path}:${line++}`, text.slice(1).trim())
    else if (text.startsWith('-')) removed.add(text.slice(1).trim())
  }
  return { added, removed }
}

/** Runs git. @param {string} root @param {string[]} args */
export function git(root, ...args) {
  const options = { cwd: root, maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] }
  return execFileSync('git', ['-c', 'core.quotePath=false', ...args], options).toString()
}

/** Returns what git prints, or an empty text if it fails. @param {string} root @param {string[]} args */
export function gitOrNothing(root, ...args) {
  try {
    return git(root, ...args).trim()
  } catch {
    return ''
  }
}
