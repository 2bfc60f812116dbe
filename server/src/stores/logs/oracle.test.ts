/** Random questions, on one engine. */
import './conformance/oracle.ts';
