/** Workers of every visit. The race panel starts a third one with `new Link('racer')`. */
import { Link } from './link.ts'

export const maker = new Link('maker')
export const verifier = new Link('verifier')
