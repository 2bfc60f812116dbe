/** Tests that any text colour stays readable on the page's light and dark backgrounds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeReadable, measureContrast, measureLuminance, pickTextColour, writeColour } from './contrast.ts';

const grounds = { light: [0xfdfcfa, 0xf2efea, 0xf4e8e0], dark: [0x1c1916, 0x12100e, 0x33271d] };
const colours = [
  0x000000,
  0xffffff,
  0x808080,
  0xff0000,
  0x00ff00,
  0x0000ff,
  0xffff00,
  0x00ffff,
  0xff00ff,
  0xff8800,
  ...Array.from({ length: 500 }, (_, index) => (index * 33_554_393) % 0x1000000),
];

function contrast(one: number, other: number): number {
  return measureContrast(measureLuminance(one), measureLuminance(other));
}

test('gives every colour a contrast of 4.5 to 1 on every background', () => {
  for (const colour of colours) {
    const { light, dark } = makeReadable(colour);
    for (const ground of grounds.light) assert(contrast(read(light), ground) >= 4.5, `${light} on light`);
    for (const ground of grounds.dark) assert(contrast(read(dark), ground) >= 4.5, `${dark} on dark`);
    assert(contrast(read(pickTextColour(colour, 0x808080)), colour) >= 4.5, `on ${writeColour(colour)}`);
  }
});

test('keeps readable colours unchanged and hues distinct', () => {
  assert.equal(makeReadable(0xaa0000).light, '#aa0000');
  assert.equal(makeReadable(0xffbb33).dark, '#ffbb33');
  assert.notEqual(makeReadable(0xff0000).light, makeReadable(0x00ff00).light);
});

function read(colour: string): number {
  return Number.parseInt(colour.slice(1), 16);
}
