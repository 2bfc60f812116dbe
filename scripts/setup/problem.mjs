/** A set-up problem that the user can solve. */
export class SetupProblem extends Error {
  /** @param {string} sentence says what is wrong and what to do @param {string} [detail] what the failed program printed */
  constructor(sentence, detail = '') {
    super(sentence);
    this.detail = detail;
  }
}

/** The user stopped set-up, so nothing may continue without it. */
export class SetupStopped extends SetupProblem {
  constructor() {
    super('Set-up was stopped: run the command again to finish it.');
  }
}
