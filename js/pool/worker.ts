// The program of a pool's worker, see js/platform for how it is started. js/build/bundles.mjs makes one file of it that imports nothing:
// bundlers may put it anywhere, as a script or as a module.

import './serving.js'
