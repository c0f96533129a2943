import { expect } from 'chai';
import { createCrlf } from '../../core/descriptors/formats/crlf.ts';

describe('ends of lines of CSV', () => {
  it('become those of RFC 4180 wherever chunks are cut, but for those within quotes', () => {
    const csv = Buffer.from('name,text\nä€😀,"one\ntwo ""three\n"""\n"",x\n');
    const expected = 'name,text\r\nä€😀,"one\ntwo ""three\n"""\r\n"",x\r\n';
    for (let cut = 0; cut <= csv.length; cut += 1) {
      const convert = createCrlf();
      expect(convert(csv.subarray(0, cut)) + convert(csv.subarray(cut)), `cut at ${cut}`).to.equal(expected);
    }
  });
});
