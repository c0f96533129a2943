import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { bundledPlugins } from '../../core/plugins/find/resolve.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, 'traces.ts');

/** Every plugin of the folder, new ones too, with those that it needs. */
const plugins = bundledPlugins(root);
const requires = new Map(
  await Promise.all(
    plugins.map(async (name): Promise<[string, readonly string[]]> => {
      const { default: plugin } = await import(pathToFileURL(join(root, 'plugins', name, 'index.ts')).href);
      return [name, plugin.requires ?? []];
    }),
  ),
);
const needs = (name: string, other: string): boolean =>
  requires.get(name)!.some((needed) => needed === other || needs(needed, other));

async function traces(names: readonly string[]): Promise<ReadonlySet<string>> {
  const { stdout } = await run(process.execPath, [program], {
    cwd: root,
    env: {
      ...process.env,
      TAPLINE_PLUGINS: names.join(','),
      NODE_COMPILE_CACHE: join(root, '.cache', 'compile'),
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  return new Set(stdout.trimEnd().split('\n'));
}

const less = (all: ReadonlySet<string>, some: ReadonlySet<string>) =>
  new Set([...all].filter((line) => !some.has(line)));

const bodyLine = /^openapi\.paths\.(\/\S+?)\.post\.(requestBody\..*)$/;

/** What taps of one plugin take at launches of another one is there with both alone: it goes with the taps, and with the launch. */
function goesWithEither(own: ReadonlySet<string>): (line: string) => boolean {
  const parts = [...own].flatMap((line) => [bodyLine.exec(line) ?? []]);
  const [paths, taken] = [1, 2].map((part) => new Set(parts.map((found) => found[part])));
  return (line) => {
    const [, path, rest] = bodyLine.exec(line) ?? [];
    return path !== undefined && (paths!.has(path) || taken!.has(rest));
  };
}

describe('a bundled plugin that is off', function () {
  let baseline: ReadonlySet<string>;
  let all: ReadonlySet<string>;

  before(async () => {
    baseline = await traces([]);
    all = await traces(plugins);
  });

  it('leaves nothing at all where all of them are off', () => {
    const kinds = ['module', 'plugin', 'tap', 'navigation', 'group', 'health', 'schema'];
    expect([...baseline].filter((line) => kinds.some((kind) => line.startsWith(`${kind} `)))).to.deep.equal([]);
    expect(baseline.size).to.be.greaterThan(1000);
  });

  it('is seen at all while it is on', () => {
    for (const name of plugins) expect([...all]).to.include.members([`module ${name}`, `plugin ${name}`]);
  });

  for (const name of plugins) {
    it(`is as if it were not there: ${name}`, async () => {
      const without = plugins.filter((other) => other !== name && !needs(other, name));
      const gone = plugins.filter((other) => !without.includes(other));
      // those that it needs are there in both, so that only its own traces differ
      const base = without.filter((other) => gone.some((one) => needs(one, other)));
      const lacking = base.length ? await traces(base) : baseline;
      const having = await traces([...base, ...gone]);
      const own = less(having, lacking);
      const left = await traces(without);
      expect([...left].filter((line) => own.has(line))).to.deep.equal([]);
      const expected = new Set([...less(all, own), ...less(lacking, having)]);
      const both = goesWithEither(own);
      const [more, missing] = [[...less(left, expected)], [...less(expected, left)].filter((line) => !both(line))];
      expect({ more, missing }, JSON.stringify({ more, missing }).slice(0, 2000)).to.deep.equal({
        more: [],
        missing: [],
      });
    });
  }
});
