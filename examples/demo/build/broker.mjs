/** Returns the page with this broker as its default. @param {string} html @param {string} broker */
export function withBroker(html, broker) {
  return html.replace(/(?<=name="alvarium-broker" content=")[^"]*/, () => encodeURI(broker))
}
