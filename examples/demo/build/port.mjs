/** Where `npm run demo` serves the page unless something else is there. */
export const PORT = 4180
