/** Runs the tests of response order with fast HTTP turned off. */
import './fastHttpOff.ts';
import '../answerOrder.test.ts';
