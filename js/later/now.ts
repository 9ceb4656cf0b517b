// `#later` for bundlers, which leave out what is not used: what they make is one file where nothing can be loaded later, as in service workers.

import { Publisher } from '../streams/mqtt/publisher.js'
import { openVerified } from '../subscribe/verified.js'

export const loadPublisher = async (): Promise<typeof Publisher> => Publisher

export const loadVerified = async (): Promise<typeof openVerified> => openVerified
