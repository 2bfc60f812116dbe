/** What stops set-up in a way that the person at the keyboard can change. */
export class SetupProblem extends Error {
  /** @param {string} sentence says what is wrong and what to do @param {string} [detail] what the failed program printed */
  constructor(sentence, detail = '') {
    super(sentence);
    this.detail = detail;
  }
}
