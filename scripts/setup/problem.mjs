/** A problem that stops set-up and that its user can solve. */
export class SetupProblem extends Error {
  /** @param {string} sentence says what is wrong and what to do @param {string} [detail] what the failed program printed */
  constructor(sentence, detail = '') {
    super(sentence);
    this.detail = detail;
  }
}

/** The person at the keyboard wants no set-up now: nothing goes on without it. */
export class SetupStopped extends SetupProblem {
  constructor() {
    super('Set-up was stopped: run the command again to finish it.');
  }
}
