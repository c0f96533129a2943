import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
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

  it('is small: what the first page loads, and what any other page brings besides', () => {
    const compressed = (names: Iterable<string>) =>
      [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
    const scripts = globSync('assets/*.js', { cwd: folder });
    const text = (name: string) => readFileSync(join(folder, name), 'utf8');
    /** It and what it imports at once. */
    const withImports = (name: string, found = new Set<string>()): Set<string> => {
      if (found.has(name)) return found;
      found.add(name);
      for (const [, other] of text(name).matchAll(/(?:from|import)"\.(?:\.\/assets)?\/([\w.-]+\.js)"/g))
        withImports(`assets/${other}`, found);
      return found;
    };
    const [, entry = ''] = /<script[^>]* src="\/([^"]+)"/.exec(text('index.html')) ?? [];
    const linked = [...text('index.html').matchAll(/<link[^>]* href="\/([^"]+\.css)"/g)].map(([, name]) => name!);
    const first = withImports(entry);
    expect(compressed([...first, ...linked]), 'the first page').to.be.lessThan(120 * 1024);
    // of the kit, modules of plugins load what the first page has not
    const later = [...scripts, 'kit/console-kit.js'].filter((name) => !first.has(name));
    expect(later.length).to.be.greaterThan(0);
    const styles = globSync('assets/*.css', { cwd: folder }).filter((name) => !linked.includes(name));
    const heavy = later.filter(
      (name) => compressed([...[...withImports(name)].filter((one) => !first.has(one)), ...styles]) > 60 * 1024,
    );
    expect(heavy).to.deep.equal([]);
  });

  it('loads nothing from elsewhere', () => {
    const files = globSync('**/*.{js,css,html}', { cwd: folder });
    const text = files.map((name) => readFileSync(join(folder, name), 'utf8'));
    const addresses = text.join('\n').match(/https?:\/\/[\w.-]+/g) ?? [];
    // names of XML vocabularies, and an example in a form
    const known = ['http://www.w3.org', 'https://git.example.com'];
    expect(addresses.filter((address) => !known.includes(address))).to.deep.equal([]);
  });
});
