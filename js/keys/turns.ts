import { nextTurn } from '#platform'
import { Turns } from '../base/turns.js'

/** Of all that reads keys and verifies in this thread: however much it is, timers and sockets get their turn in between. */
export const turns = new Turns(nextTurn)
