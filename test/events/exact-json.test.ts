import { expect } from 'chai';
import { parseExactly } from '../../core/runner/ingest/exact-json.ts';
import { canonicalJson } from '../../core/runner/ingest/json-text.ts';
import { createMasker } from '../../core/runner/ingest/mask.ts';

describe('facts as they are stored', () => {
  it('keep what tells numbers apart, in digits that the database keeps', () => {
    const kept = canonicalJson(parseExactly('{"b": 1.0, "a": [1e16, 12345678901234567890, 0.5, 1e-7, 1e400], "c": 2}'));
    expect(kept).to.equal('{"a":[10000000000000000.0,12345678901234567890,0.5,1e-7,null],"b":1.0,"c":2}');
  });

  it('keep no number of thousands of digits, and no secret that is a number', () => {
    expect(canonicalJson(parseExactly(`[${'9'.repeat(5000)}]`))).to.equal('[null]');
    const masker = createMasker(['4711.50']);
    const masked = masker.value(parseExactly('{"pin": 4711.50, "other": 1.0}'));
    expect(canonicalJson(masked)).to.equal('{"other":1.0,"pin":"$encrypted$"}');
  });
});
