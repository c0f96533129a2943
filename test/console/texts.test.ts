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
    expect(kinds('const a = <p class={on ? "is of no use" : ""} />;')).to.deep.equal([]);
  });

  it('are found where they are put together, and where they begin in small letters', () => {
    expect(kinds('const a = "Arrow keys walk, " + "Home goes to the end";')).to.deep.equal([
      'value: Arrow keys walk, Home goes to the end',
    ]);
    expect(kinds('const a = <p>{count + " of " + all} {page + 1}</p>;')).to.deep.equal(['child: {0} of {1}']);
    expect(kinds('const a = { help_text: "JSON or YAML, as you like" };')).to.deep.equal([
      'value: JSON or YAML, as you like',
    ]);
  });

  it('are found behind the names, records, lists and functions by which they are read', () => {
    expect(kinds('const wait = at ? `in ${at} seconds` : "later"; const a = t`Try again ${wait}.`;')).to.deep.equal([
      'value: in {0} seconds',
      'value: later',
      'said: Try again {0}.',
    ]);
    expect(kinds('const by = { eq: "is", ne: "is not" } as const; const a = <p>{by[one] ?? one}</p>;')).to.deep.equal([
      'value: is',
      'value: is not',
    ]);
    const listed = 'const of = { a: ["good", "fine"], b: ["bad", t`broken`] }; const [tone, said] = of[x] ?? [x, x];';
    expect(kinds(`${listed} const a = <p class={tone}>{said}</p>;`)).to.deep.equal(['value: fine', 'said: broken']);
    expect(kinds(`${listed} const a = <p>{of[x][0]}</p>;`)).to.deep.equal([
      'value: good',
      'value: bad',
      'said: broken',
    ]);
    const made =
      'function where(role) { const parts = [role && `on ${role}`, ""]; return parts.join() || "everywhere"; }';
    expect(kinds(`${made} const a = <p>{where(role)}</p>;`)).to.deep.equal(['value: on {0}', 'value: everywhere']);
    expect(kinds('const a = <p>{all.map(({ id }) => `number ${id}`).join(", ")}</p>;')).to.deep.equal([
      'value: number {0}',
    ]);
    // the nearest of a name is meant
    expect(kinds('const is = "far"; function a(is) { return <p>{is}</p>; }')).to.deep.equal([]);
    expect(kinds('const a = b; const b = a; const c = <p>{a}</p>;')).to.deep.equal([]);
  });

  it('are found in what other files read: it is called words, labels or the like', () => {
    expect(kinds('export const originWords = { default: "default", file: "a file" };')).to.deep.equal([
      'value: default',
      'value: a file',
    ]);
    expect(kinds('export const linkLabel = ({ kind }) => `if ${kind}`;')).to.deep.equal(['value: if {0}']);
    expect(kinds('export const origins = { default: "default" };')).to.deep.equal([]);
  });
});
