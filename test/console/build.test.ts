import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildConsole, dist } from '../../plugins/console/build.ts';

const contents = (folder: string) =>
  Object.fromEntries(
    globSync('**/*.*', { cwd: folder })
      .toSorted()
      .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  );

describe('the built console', () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-console-build-'));
    await buildConsole(folder);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is what its sources make: after a change, npm run build -w plugins/console', () => {
    const [built, committed] = [contents(folder), contents(dist)];
    expect(Object.keys(committed)).to.deep.equal(Object.keys(built));
    const stale = Object.keys(built).filter((name) => built[name] !== committed[name]);
    expect(stale).to.deep.equal([]);
  });

  it('is small, and loads nothing from elsewhere', () => {
    const files = globSync('**/*.{js,css,html}', { cwd: folder });
    const text = files.map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(text.join('').length).to.be.lessThan(250_000);
    const addresses = text.join('\n').match(/https?:\/\/[\w.-]+/g) ?? [];
    // names of XML vocabularies, and an example in a form
    const known = ['http://www.w3.org', 'https://git.example.com'];
    expect(addresses.filter((address) => !known.includes(address))).to.deep.equal([]);
  });
});
