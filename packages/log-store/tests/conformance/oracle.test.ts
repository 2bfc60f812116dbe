/** Random questions, on one engine. */
import './oracle.ts';
