/** What is said of reading media holds where Node.js's server reads every request. */
import './fastHttpOff.ts';
import '../../files/mediaReading.test.ts';
