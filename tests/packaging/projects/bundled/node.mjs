import { roundTrip } from './round-trip.mjs'

roundTrip().then((said) => console.log(said))
