/** Runs the tests of frequently read files with fast HTTP turned off. */
import './fastHttpOff.ts';
import '../../files/hotMedia.test.ts';
