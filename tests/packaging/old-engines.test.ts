import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { printed } from './packed.js'

it('the package works in engines without the features that the oldest supported browsers lack', async () => {
  const { folder } = inject('packed')
  const without = `data:text/javascript,${encodeURIComponent(WITHOUT)}`
  expect(await printed('node', ['--import', without, join('node-esm', 'main.mjs')], folder)).toBe(
    '[["src",true]]',
  )
})

/** Script that removes names newer than Chrome 100, Firefox 100 and Safari 16.4. */
const WITHOUT = `
for (const name of ['isWellFormed', 'toWellFormed']) delete String.prototype[name]
for (const name of ['toSorted', 'toReversed', 'toSpliced', 'with']) {
  delete Array.prototype[name]
  delete Uint8Array.prototype[name]
}
for (const name of ['any']) delete AbortSignal[name]
for (const name of ['canParse', 'parse']) delete URL[name]
for (const name of ['withResolvers', 'try']) delete Promise[name]
delete Array.fromAsync
delete Object.groupBy
`
