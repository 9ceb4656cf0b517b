import { nextTurn } from '#platform'
import { Turns } from '../base/turns.js'

/** Of all that verifies in this thread: however many calls there are, timers and sockets get their turn between them. */
export const turns = new Turns(nextTurn)
