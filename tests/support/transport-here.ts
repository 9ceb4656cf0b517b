// Tests of one module that connects load it without `#later` and the doctor, which say where mqtt.js is.

import { supplyPlatform } from '../../dist/platform/platform.js'

supplyPlatform({ loadTransport: () => import('#mqtt-transport') })
