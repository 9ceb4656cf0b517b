import { nextTurn } from '#platform'
import { Turns } from '../base/turns.js'

/** Of all calls in this thread: however many there are, timers and sockets get their turn between them. */
export const turns = new Turns(nextTurn)
