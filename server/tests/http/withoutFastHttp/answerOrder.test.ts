/** What is said of the order of answers holds where Node.js's server reads every request. */
import './fastHttpOff.ts';
import '../answerOrder.test.ts';
