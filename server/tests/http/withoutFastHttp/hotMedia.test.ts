/** What is said of media that are read again and again holds where Node.js's server reads every request. */
import './fastHttpOff.ts';
import '../../files/hotMedia.test.ts';
