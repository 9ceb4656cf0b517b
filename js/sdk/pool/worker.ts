// Program of a pool's worker; js/foundation/platform starts it. js/build/bundles.mjs bundles it into one file without imports:
// bundlers may put it anywhere, as a script or as a module.

import './serving.js'
