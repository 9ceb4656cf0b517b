// Program of a pool's worker, which js/foundation/platform starts. js/build/bundles.mjs makes it one file
// without imports, which bundlers may put anywhere, as a script or as a module.

import './serving.js'
