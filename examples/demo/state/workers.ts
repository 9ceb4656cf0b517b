/** The two workers of every visit. The racer's panel starts the third: `new Link('racer')`. */
import { Link } from './link.ts'

export const maker = new Link('maker')
export const verifier = new Link('verifier')
