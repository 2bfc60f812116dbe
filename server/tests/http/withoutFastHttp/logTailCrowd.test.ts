/** What is said of a thousand followers, and of the places they leave, holds where Node.js's server reads every request. */
import './fastHttpOff.ts';
import '../../logs/logTailCrowd.test.ts';
