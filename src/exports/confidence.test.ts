import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { c2PercentOf, confirmationSentence, percentOf } from './confidence.ts';

describe('the confidence in a C2', () => {
  const confidenceOf = (
    confirmation: 'confirmed' | 'contradicted' | 'unknown',
    confidence: number,
    confidenceScale = 100,
  ) => c2PercentOf({ confirmation, confidence }, { confidenceScale });

  it('is that of the reporter unless an analysis says more', () => {
    assert.equal(confidenceOf('unknown', 50), 50);
    assert.equal(confidenceOf('unknown', 5, 10), 50);
    assert.equal(percentOf({ confidence: 7 }, undefined), 7);
  });

  it('is at least 90 if the settings in the file name it', () => {
    assert.equal(confidenceOf('confirmed', 3, 10), 90);
    assert.equal(confidenceOf('confirmed', 95), 95);
  });

  it('is at most 15 if they name others', () => {
    assert.equal(confidenceOf('contradicted', 9, 10), 15);
    assert.equal(confidenceOf('contradicted', 5), 5);
  });

  it('is explained by a sentence', () => {
    assert.equal(confirmationSentence({ confirmation: 'unknown' }), '');
    assert.match(confirmationSentence({ confirmation: 'confirmed' }), /name this C2/);
    assert.match(confirmationSentence({ confirmation: 'contradicted' }), /name other C2s/);
  });
});
