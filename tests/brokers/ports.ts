export { answers, freePort } from '../../examples/broker/ports.mjs'
