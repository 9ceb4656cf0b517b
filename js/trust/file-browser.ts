import type * as node from './file-node.js'

export const readFile: typeof node.readFile = async () => {
  throw new Error('a path, and there are no files here: fetch the policy, and pass its text')
}

export const watch: typeof node.watch = () => {
  throw new Error('watch: there are no files here')
}
