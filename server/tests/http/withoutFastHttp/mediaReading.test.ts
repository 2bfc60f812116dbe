/** Runs the tests of reading files with fast HTTP turned off. */
import './fastHttpOff.ts';
import '../../files/mediaReading.test.ts';
