// A clock that only advances on request. Import it before any code that reads the time.

const RealDate = Date

export const virtualClock = { now: RealDate.parse('2026-11-20T12:00:00Z') }

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length > 0) super(...given)
    else super(virtualClock.now)
  }

  static now() {
    return virtualClock.now
  }
}
