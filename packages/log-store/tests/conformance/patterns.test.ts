/** Random questions about patterns, on one engine. */
import './patterns.ts';
