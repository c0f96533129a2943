import { cutText, safeText } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const face = '\u{1f600}';

describe('texts of others', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it('lose what the database refuses, and keep the rest', () => {
    expect(safeText(`a\0b\ud83dc\ude00${face}`)).to.equal(`a\ufffdb\ufffdc\ufffd${face}`);
  });

  it('are cut before a character of which only half would fit', () => {
    expect(safeText(`ab${face}`, 3)).to.equal('ab');
    expect(cutText(`ab${face}`, 3)).to.equal('ab');
    expect(safeText(`ab${face}`, 4)).to.equal(`ab${face}`);
    expect(safeText('ab', 0)).to.equal('');
  });

  it('come back from the database as they went there, whatever they were', async () => {
    const any = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
    const unsafe = fc.string({ unit: fc.constantFrom('\0', '\ud83d', '\ude00', '\\', 'a') });
    await fc.assert(
      fc.asyncProperty(fc.oneof(any, unsafe), fc.nat(12), async (given, longest) => {
        const text = safeText(given, longest);
        expect(text.length).to.be.at.most(longest);
        const { rows } = await database.db.raw('select ?::text as plain, ?::jsonb as json', [
          text,
          JSON.stringify([text]),
        ]);
        expect(rows[0]).to.deep.equal({ plain: text, json: [text] });
      }),
      { numRuns: 200 },
    );
  });
});
