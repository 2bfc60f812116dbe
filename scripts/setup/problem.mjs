/** What stops set-up in a way that the person at the keyboard can change. */
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
