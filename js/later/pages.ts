// In the place of `#platform` and `#later` in pages without a bundler, where neither packages nor these have names: see
// js/build/package/pages.mjs, which also puts a file in the place of `#mqtt-transport`.

import { supplyPlatform } from '../platform/web.js'

export { loadPublisher, loadVerified } from './later.js'

supplyPlatform({ loadYaml: () => import('yaml') })
