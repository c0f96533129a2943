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
    const areas = catalog();
    expect(Object.values(areas).flatMap(Object.keys).length).to.be.greaterThan(1400);
    // those of plugins as well, and what stands in the menu
    expect(Object.keys(areas['plugins/eda']!)).to.include('Try the conditions');
    expect(Object.keys(areas['menu']!)).to.include.members(['Event rules', 'Overview']);
    expect(readFileSync(catalogFile, 'utf8') === written(catalog())).to.equal(true);
  });

  it('are found between tags, in attributes, in values and in what is said', () => {
    expect(kinds('const a = <p title="Who">Delete {name}?</p>;')).to.deep.equal(['attribute: Who', 'child: Delete']);
    expect(kinds('const a = <p>{on ? "yes" : t`no`}</p>;')).to.deep.equal(['child: yes', 'said: no']);
    expect(kinds('const a = { label: "host", path: "hosts" };')).to.deep.equal(['value: host']);
    expect(kinds('toast(`${name} is gone.`); go("/hosts");')).to.deep.equal(['value: {0} is gone.']);
    expect(kinds('toast(`${many} ${one ? "is" : "are"} done.`);').slice(0, 2)).to.deep.equal([
      'value: {0} {1} done.',
      'value: is',
    ]);
    expect(
      kinds('const a = h("p", { class: "is", what: "its drift" }, "of ", h("b", null, on && "gone"));'),
    ).to.deep.equal(['attribute: its drift', 'child: of', 'child: gone']);
    expect(kinds('const a = [count === 1 ? "1 change" : "A run"];')).to.deep.equal(['value: 1 change', 'value: A run']);
    expect(kinds('if (key === "Enter") throw new Error("Never said");')).to.deep.equal([]);
  });
});
