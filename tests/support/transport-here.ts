// @internal: tests of one module of mqtt load neither `#later` nor the doctor, which say where mqtt.js is
import { supplyPlatform } from '../../dist/platform/platform.js'

supplyPlatform({ loadTransport: () => import('#mqtt-transport') })
