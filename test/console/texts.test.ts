import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { catalog, catalogFile, untold, written } from '../../plugins/console/texts/catalog.ts';
import { literals } from '../../plugins/console/texts/literals.ts';

describe('the texts of the console', () => {
  const kinds = (source: string) => literals(source, 'page.tsx').map(({ kind, text }) => `${kind}: ${text.trim()}`);

  it('are all said by t, so that they can be translated: write t`Delete` in the place of "Delete"', () => {
    expect(untold()).to.deep.equal([]);
  });

  it('stand in one file, by area: npm run texts -w plugins/console', () => {
    expect(Object.values(catalog()).flatMap(Object.keys).length).to.be.greaterThan(1000);
    expect(readFileSync(catalogFile, 'utf8') === written(catalog())).to.equal(true);
  });

  it('are found between tags, in attributes, in values and in what is said', () => {
    expect(kinds('const a = <p title="Who">Delete {name}?</p>;')).to.deep.equal(['attribute: Who', 'child: Delete']);
    expect(kinds('const a = <p>{on ? "yes" : t`no`}</p>;')).to.deep.equal(['child: yes', 'said: no']);
    expect(kinds('const a = { label: "host", path: "hosts" };')).to.deep.equal(['value: host']);
    expect(kinds('toast(`${name} is gone.`); go("/hosts");')).to.deep.equal(['value: {0} is gone.']);
    expect(kinds('if (key === "Enter") throw new Error("Never said");')).to.deep.equal([]);
  });
});
