/** Returns the page's HTML with another default broker. @param {string} html @param {string} broker */
export function withBroker(html, broker) {
  return html.replace(/(?<=name="alvarium-broker" content=")[^"]*/, () => encodeURI(broker))
}
